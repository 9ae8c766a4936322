package dev.weir.bench.decision;

import dev.weir.bench.decision.CallServer.JavaServer;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.internal.GrpcUtil;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** grpc-java as its users have it at its fastest: no thread of its own for a call, no message. */
final class GrpcJavaEcho implements CallServer {
  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] message) {
          return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
          try {
            return message.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  @Override
  public String name() {
    return "grpc-java";
  }

  @Override
  public Set<Ask> asks() {
    return EnumSet.of(Ask.CHECK);
  }

  @Override
  public String version() {
    return GrpcUtil.getGrpcBuildVersion().toString();
  }

  @Override
  public List<String> command(Path folder, int port) {
    return JavaServer.command(GrpcJavaEcho.class, port);
  }

  private static void echo(byte[] message, StreamObserver<byte[]> answers) {
    answers.onNext(message);
    answers.onCompleted();
  }

  /** Serves on one thread until the process is ended: port. */
  public static void main(String[] args) throws IOException, InterruptedException {
    final String path = Ask.CHECK.path.substring(1);
    final MultiThreadIoEventLoopGroup eventLoop =
        new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    NettyServerBuilder.forAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])))
        .bossEventLoopGroup(eventLoop)
        .workerEventLoopGroup(eventLoop)
        .channelType(EpollServerSocketChannel.class)
        .directExecutor()
        .addService(
            ServerServiceDefinition.builder(MethodDescriptor.extractFullServiceName(path))
                .addMethod(
                    MethodDescriptor.newBuilder(BYTES, BYTES)
                        .setType(MethodType.UNARY)
                        .setFullMethodName(path)
                        .build(),
                    ServerCalls.asyncUnaryCall(GrpcJavaEcho::echo))
                .build())
        .build()
        .start()
        .awaitTermination();
  }
}

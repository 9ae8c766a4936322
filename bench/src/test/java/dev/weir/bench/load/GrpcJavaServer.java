package dev.weir.bench.load;

import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Answers {@code weir.bench.Echo/Echo} with what it is sent, on a port of 127.0.0.1: to be loaded
 * by hand, from the command line.
 */
final class GrpcJavaServer {
  private GrpcJavaServer() {}

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
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
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    final MethodDescriptor<byte[], byte[]> echo =
        MethodDescriptor.newBuilder(new Bytes(), new Bytes())
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("weir.bench.Echo/Echo")
            .build();
    NettyServerBuilder.forAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])))
        .directExecutor()
        .addService(
            ServerServiceDefinition.builder("weir.bench.Echo")
                .addMethod(
                    echo,
                    ServerCalls.asyncUnaryCall(
                        (message, answers) -> {
                          answers.onNext(message);
                          answers.onCompleted();
                        }))
                .build())
        .build()
        .start()
        .awaitTermination();
  }
}

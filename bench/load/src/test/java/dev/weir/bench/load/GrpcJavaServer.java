package dev.weir.bench.load;

import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Methods of grpc-java whose messages are bytes; and a server that answers {@code
 * weir.bench.Echo/Echo} with what it is sent, on a port of 127.0.0.1, to be loaded by hand.
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

  static MethodDescriptor<byte[], byte[]> unary(String fullName) {
    return MethodDescriptor.newBuilder(new Bytes(), new Bytes())
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(fullName)
        .build();
  }

  static void echo(byte[] message, StreamObserver<byte[]> answers) {
    answers.onNext(message);
    answers.onCompleted();
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    NettyServerBuilder.forAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])))
        .directExecutor()
        .addService(
            ServerServiceDefinition.builder("weir.bench.Echo")
                .addMethod(
                    unary("weir.bench.Echo/Echo"), ServerCalls.asyncUnaryCall(GrpcJavaServer::echo))
                .build())
        .build()
        .start()
        .awaitTermination();
  }
}

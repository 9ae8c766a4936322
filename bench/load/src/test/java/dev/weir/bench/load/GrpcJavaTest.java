package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls to a server of grpc-java. */
class GrpcJavaTest {
  private static final String SERVICE = "weir.v1.RateLimiter";

  private final CountDownLatch released = new CountDownLatch(1);
  private Server server;

  @AfterEach
  void stop() throws InterruptedException {
    released.countDown();
    server.shutdownNow();
    assertTrue(server.awaitTermination(20, TimeUnit.SECONDS));
  }

  private static MethodDescriptor<byte[], byte[]> method(String name) {
    return GrpcJavaServer.unary(SERVICE + "/" + name);
  }

  private void hold(byte[] message, StreamObserver<byte[]> answers) {
    try {
      assertTrue(released.await(20, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    GrpcJavaServer.echo(message, answers);
  }

  private WatchedConnection client(int serverStreams, int clientStreams) throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .maxConcurrentCallsPerConnection(serverStreams)
            .addService(
                ServerServiceDefinition.builder(SERVICE)
                    .addMethod(method("Echo"), ServerCalls.asyncUnaryCall(GrpcJavaServer::echo))
                    .addMethod(method("Hold"), ServerCalls.asyncUnaryCall(this::hold))
                    .addMethod(
                        method("Refuse"),
                        ServerCalls.asyncUnaryCall(
                            (message, answers) ->
                                answers.onError(
                                    Status.RESOURCE_EXHAUSTED
                                        .withDescription("100 per minute")
                                        .asException())))
                    .build())
            .build()
            .start();
    return new WatchedConnection()
        .opened((InetSocketAddress) server.getListenSockets().get(0), clientStreams, true);
  }

  private static Request call(String method, int messageBytes) {
    return Http2RequestsTest.call(
        Http2RequestsTest.spec("POST", "/" + SERVICE + "/" + method, new byte[messageBytes]), "");
  }

  @Test
  void passesACall() throws IOException {
    try (WatchedConnection client = client(100, 100)) {
      client.start(call("Echo", 5), 1);
      client.expect("1 200 grpc 0");
    }
  }

  @Test
  void passesMessagesLargerThanTheWindows() throws IOException {
    try (WatchedConnection client = client(100, 100)) {
      client.start(call("Echo", 3_000_000), 1);
      client.expect("1 200 grpc 0");
    }
  }

  @Test
  void tellsARefusal() throws IOException {
    try (WatchedConnection client = client(100, 100)) {
      client.start(call("Refuse", 5), 1);
      client.expect("1 200 grpc 8");
    }
  }

  @Test
  void tellsThatThereIsNoSuchMethod() throws IOException {
    try (WatchedConnection client = client(100, 100)) {
      client.start(call("None", 5), 1);
      client.expect("1 200 grpc 12");
    }
  }

  @Test
  void givesUpACallAndGoesOn() throws IOException {
    try (WatchedConnection client = client(100, 100)) {
      client.start(call("Hold", 5), 1);
      client.on(connection -> connection.expire(2));
      client.expect("1 timed out");
      client.start(call("Echo", 5), 2);
      client.expect("2 200 grpc 0");
    }
  }

  @Test
  void endsTheCallsOfAServerThatShutsDownAndIsClosed() throws IOException {
    try (WatchedConnection client = client(100, 100)) {
      client.start(call("Hold", 5), 1);
      client.start(call("Echo", 5), 2);
      client.expect("2 200 grpc 0"); // so the first has been taken too
      server.shutdown();
      released.countDown();
      client.expect("1 200 grpc 0", "closed");
      assertFalse(client.hasRoom());
    }
  }

  @Test
  void makesOneCallAfterTheOtherWhereTheServerTakesNoMore() throws IOException {
    try (WatchedConnection client = client(1, 100)) {
      for (int due = 1; due <= 20; due++) {
        client.start(call("Echo", 5), due);
        client.expect(due + " 200 grpc 0");
      }
      client.start(call("Hold", 5), 21);
      assertFalse(client.hasRoom());
      assertEquals(1, client.inFlight());
    }
  }

  @Test
  void carriesManyCallsAtOnce() throws IOException {
    try (WatchedConnection client = client(100, 100)) {
      Request echo = call("Echo", 5);
      for (int round = 0; round < 20; round++) {
        client.on(
            connection -> {
              while (connection.hasRoom()) {
                connection.start(echo, 1, 1);
              }
              connection.flush();
            });
        for (int i = 0; i < 100; i++) {
          client.expect("1 200 grpc 0");
        }
      }
    }
  }
}

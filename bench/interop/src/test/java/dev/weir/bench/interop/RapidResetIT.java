package dev.weir.bench.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.Messages.StreamingOutputCallRequest;
import io.grpc.testing.integration.Messages.StreamingOutputCallResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client that resets its calls again and again, in front of a service that counts resets. */
@Timeout(60)
class RapidResetIT {
  private static final Metadata.Key<String> FORWARDED_FOR =
      Metadata.Key.of("x-forwarded-for", Metadata.ASCII_STRING_MARSHALLER);

  /** What grpc-java's server advises; it ends the connection that has more. */
  private static final int SERVICE_TAKES = 200;

  /** Each has a budget of resets before the sidecar that it never comes near. */
  private static final int CHANNELS = 4;

  private static final int CALLS_OF_A_CHANNEL = 100;

  private final List<ManagedChannel> channels = new ArrayList<>();
  private Server server;
  private SidecarInFront sidecar;

  @AfterEach
  void stop() {
    channels.forEach(ManagedChannel::shutdownNow);
    sidecar.close();
    server.shutdownNow();
  }

  /** Answers each message of a stream with one. */
  private static final class Echo extends TestServiceGrpc.TestServiceImplBase {
    @Override
    public StreamObserver<StreamingOutputCallRequest> fullDuplexCall(
        StreamObserver<StreamingOutputCallResponse> answer) {
      return new StreamObserver<>() {
        @Override
        public void onNext(StreamingOutputCallRequest message) {
          answer.onNext(StreamingOutputCallResponse.getDefaultInstance());
        }

        @Override
        public void onError(Throwable fault) {
          // Whoever asked has left.
        }

        @Override
        public void onCompleted() {
          answer.onCompleted();
        }
      };
    }
  }

  /** A stream of messages, and what is told of it. */
  private static final class Call implements StreamObserver<StreamingOutputCallResponse> {
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final ClientCallStreamObserver<StreamingOutputCallRequest> messages;

    Call(ManagedChannel channel, String client) {
      Metadata fields = new Metadata();
      fields.put(FORWARDED_FOR, client);
      messages =
          (ClientCallStreamObserver<StreamingOutputCallRequest>)
              TestServiceGrpc.newStub(channel)
                  .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(fields))
                  .fullDuplexCall(this);
    }

    /** Sends a message, and returns what comes of it: an answer, or how the call has ended. */
    String echo() throws InterruptedException {
      messages.onNext(StreamingOutputCallRequest.getDefaultInstance());
      String answer = told.poll(30, TimeUnit.SECONDS);
      return answer == null ? "nothing" : answer;
    }

    void cancel() {
      messages.cancel("rapid reset", null);
    }

    @Override
    public void onNext(StreamingOutputCallResponse message) {
      told.add("answer");
    }

    @Override
    public void onError(Throwable fault) {
      told.add(Status.fromThrowable(fault).getCode().toString());
    }

    @Override
    public void onCompleted() {
      told.add("OK");
    }
  }

  private ManagedChannel channel() {
    channels.add(
        NettyChannelBuilder.forAddress("127.0.0.1", sidecar.port()).usePlaintext().build());
    return channels.get(channels.size() - 1);
  }

  @Test
  void endsNoCallOfAnotherClient() throws Exception {
    server =
        NettyServerBuilder.forPort(0)
            .maxRstFramesPerWindow(SERVICE_TAKES, 30)
            .addService(new Echo())
            .build()
            .start();
    sidecar = new SidecarInFront(server.getPort(), "--trusted-proxies", "127.0.0.0/8");
    Call honest = new Call(channel(), "192.0.2.1");
    assertEquals("answer", honest.echo());
    int answered = 0;
    for (int i = 0; i < CHANNELS; i++) {
      ManagedChannel channel = channel();
      for (int call = 0; call < CALLS_OF_A_CHANNEL; call++) {
        Call attacking = new Call(channel, "192.0.2.66");
        answered += attacking.echo().equals("answer") ? 1 : 0;
        attacking.cancel();
      }
    }
    assertTrue(answered > SERVICE_TAKES, answered + " were answered, and reset");
    assertEquals("answer", honest.echo());
    assertEquals("answer", new Call(channels.get(0), "192.0.2.1").echo());
  }
}

package dev.weir.bench.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.EmptyProtos.Empty;
import io.grpc.testing.integration.Messages.StreamingInputCallRequest;
import io.grpc.testing.integration.Messages.StreamingInputCallResponse;
import io.grpc.testing.integration.Messages.StreamingOutputCallRequest;
import io.grpc.testing.integration.Messages.StreamingOutputCallResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What grpc-java makes of a refusal: it reads its details, and waits as long as it is told. */
@Timeout(60)
class GrpcRefusalIT {
  private static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

  /** A policy that would wait for a minute if it were not told otherwise. */
  private static final Map<String, ?> RETRIES =
      Map.of(
          "methodConfig",
          List.of(
              Map.of(
                  "name", List.of(Map.of()),
                  "retryPolicy",
                      Map.of(
                          "maxAttempts",
                          3.0,
                          "initialBackoff",
                          "60s",
                          "maxBackoff",
                          "60s",
                          "backoffMultiplier",
                          1.0,
                          "retryableStatusCodes",
                          List.of("RESOURCE_EXHAUSTED")))));

  /** Answers what it is sent, and counts what reaches it. */
  private static final class Service extends TestServiceGrpc.TestServiceImplBase {
    final AtomicInteger calls = new AtomicInteger();
    final AtomicInteger messages = new AtomicInteger();
    final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

    @Override
    public void emptyCall(Empty request, StreamObserver<Empty> answer) {
      calls.incrementAndGet();
      answer.onNext(Empty.getDefaultInstance());
      answer.onCompleted();
    }

    /** Never answers. */
    @Override
    public StreamObserver<StreamingInputCallRequest> streamingInputCall(
        StreamObserver<StreamingInputCallResponse> answer) {
      return counting();
    }

    @Override
    public StreamObserver<StreamingOutputCallRequest> fullDuplexCall(
        StreamObserver<StreamingOutputCallResponse> answer) {
      StreamObserver<StreamingOutputCallRequest> counting = counting();
      return new StreamObserver<>() {
        @Override
        public void onNext(StreamingOutputCallRequest message) {
          counting.onNext(message);
          answer.onNext(StreamingOutputCallResponse.getDefaultInstance());
        }

        @Override
        public void onError(Throwable fault) {
          counting.onError(fault);
        }

        @Override
        public void onCompleted() {
          answer.onCompleted();
        }
      };
    }

    private <T> StreamObserver<T> counting() {
      return new StreamObserver<>() {
        @Override
        public void onNext(T message) {
          messages.incrementAndGet();
        }

        @Override
        public void onError(Throwable fault) {
          ends.add(Status.fromThrowable(fault).getCode().toString());
        }

        @Override
        public void onCompleted() {
          ends.add("OK");
        }
      };
    }
  }

  private final Service service = new Service();
  private Server server;
  private SidecarInFront sidecar;
  private ManagedChannel channel;

  private TestServiceGrpc.TestServiceBlockingStub start(String... flags) throws Exception {
    server = NettyServerBuilder.forPort(0).addService(service).build().start();
    sidecar = new SidecarInFront(server.getPort(), flags);
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", sidecar.port())
            .usePlaintext()
            .defaultServiceConfig(RETRIES)
            .build();
    return TestServiceGrpc.newBlockingStub(channel);
  }

  @AfterEach
  void stop() throws Exception {
    channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    sidecar.close();
    server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
  }

  @Test
  void aRefusalHasQuotaAndWaitAsGrpcKnowsThem() throws Exception {
    TestServiceGrpc.TestServiceBlockingStub stub = start("--limit", "1/1h");
    stub.emptyCall(Empty.getDefaultInstance());
    StatusRuntimeException refused =
        assertThrows(
            StatusRuntimeException.class, () -> stub.emptyCall(Empty.getDefaultInstance()));
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getStatus().getCode());
    assertEquals("Quota Exceeded: default", refused.getStatus().getDescription());
    assertEquals("-1", refused.getTrailers().get(PUSHBACK)); // nobody sits out an hour
    com.google.rpc.Status status = StatusProto.fromThrowable(refused);
    assertEquals(8, status.getCode());
    assertEquals("Quota Exceeded: default", status.getMessage());
    List<Any> details = status.getDetailsList();
    QuotaFailure.Violation quota = details.get(0).unpack(QuotaFailure.class).getViolations(0);
    assertEquals("policy:default", quota.getSubject());
    assertEquals("1 per 3600 s", quota.getDescription());
    long seconds = details.get(1).unpack(RetryInfo.class).getRetryDelay().getSeconds();
    assertTrue(seconds > 3000 && seconds <= 3600, seconds + " s");
    assertEquals(1, service.calls.get());
  }

  /** The retry policy would wait a minute; it is told less, so the call passes within its test. */
  @Test
  void aRetryWaitsAsLongAsItIsTold() throws Exception {
    TestServiceGrpc.TestServiceBlockingStub stub = start("--limit", "1/1s");
    stub.emptyCall(Empty.getDefaultInstance());
    stub.withDeadlineAfter(30, TimeUnit.SECONDS).emptyCall(Empty.getDefaultInstance());
    assertEquals(2, service.calls.get());
  }

  @Test
  void aStreamEndsWithTheMessageThatIsTooMuch() throws Exception {
    start("--limit", "3/1h", "--cost", "messages");
    BlockingQueue<String> came = new LinkedBlockingQueue<>();
    StreamObserver<StreamingOutputCallRequest> call =
        TestServiceGrpc.newStub(channel)
            .fullDuplexCall(
                new StreamObserver<>() {
                  @Override
                  public void onNext(StreamingOutputCallResponse answer) {
                    came.add("message");
                  }

                  @Override
                  public void onError(Throwable fault) {
                    came.add(Status.fromThrowable(fault).getCode().toString());
                  }

                  @Override
                  public void onCompleted() {
                    came.add("OK");
                  }
                });
    for (int i = 0; i < 3; i++) {
      call.onNext(StreamingOutputCallRequest.getDefaultInstance());
      assertEquals("message", came.poll(30, TimeUnit.SECONDS));
    }
    call.onNext(StreamingOutputCallRequest.getDefaultInstance());
    assertEquals("RESOURCE_EXHAUSTED", came.poll(30, TimeUnit.SECONDS));
    assertEquals("CANCELLED", service.ends.poll(30, TimeUnit.SECONDS));
    assertEquals(3, service.messages.get());
  }

  @Test
  void aServiceThatIsAwayIsUnavailable() throws Exception {
    TestServiceGrpc.TestServiceBlockingStub stub = start();
    server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    StatusRuntimeException refused =
        assertThrows(
            StatusRuntimeException.class, () -> stub.emptyCall(Empty.getDefaultInstance()));
    assertEquals(Status.Code.UNAVAILABLE, refused.getStatus().getCode());
  }
}

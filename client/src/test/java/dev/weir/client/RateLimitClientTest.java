package dev.weir.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResult;
import dev.weir.v1.CheckRateLimitsResponse;
import dev.weir.v1.Dimension;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RateLimitClientTest {
  private static final Duration LONG = Duration.ofSeconds(50);

  private final FakeRateLimiter weir = new FakeRateLimiter();
  private final BlockingQueue<Metadata> headers = new LinkedBlockingQueue<>();
  private Server server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws Exception {
    String name = InProcessServerBuilder.generateName();
    server =
        InProcessServerBuilder.forName(name)
            .addService(weir)
            .intercept(
                new ServerInterceptor() {
                  @Override
                  public <Q, A> ServerCall.Listener<Q> interceptCall(
                      ServerCall<Q, A> call, Metadata sent, ServerCallHandler<Q, A> next) {
                    headers.add(sent);
                    return next.startCall(call, sent);
                  }
                })
            .build()
            .start();
    channel = InProcessChannelBuilder.forName(name).build();
  }

  @AfterEach
  void stop() throws InterruptedException {
    channel.shutdownNow();
    server.shutdownNow();
    assertTrue(channel.awaitTermination(10, TimeUnit.SECONDS));
    assertTrue(server.awaitTermination(10, TimeUnit.SECONDS));
  }

  /** Of which nothing is ever told. */
  private static final class SilentCall<Q, A> extends ClientCall<Q, A> {
    @Override
    public void start(Listener<A> listener, Metadata headers) {}

    @Override
    public void request(int messages) {}

    @Override
    public void cancel(String message, Throwable cause) {}

    @Override
    public void halfClose() {}

    @Override
    public void sendMessage(Q message) {}
  }

  private RateLimitClient client(FailurePolicy policy) {
    return RateLimitClient.builder(channel, policy).timeout(LONG).build();
  }

  private static CheckRateLimitRequest request(String user) {
    return CheckRateLimitRequest.newBuilder()
        .setIdentifier(user)
        .setDimension(Dimension.USER)
        .setEndpoint("/orders")
        .build();
  }

  private static List<CompletableFuture<Decision>> ask(RateLimitClient client, int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> client.checkAsync(request("u" + i))).toList();
  }

  /**
   * As within a callback, where the thread that waits is the one that would bring the answer and
   * tell that the time is up.
   */
  @Test
  void checkEndsInItsTimeWhereNobodyTellsItsEnd() throws Exception {
    Channel silent =
        new Channel() {
          @Override
          public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> of, CallOptions options) {
            return new SilentCall<>();
          }

          @Override
          public String authority() {
            return "test";
          }
        };
    for (FailurePolicy policy : FailurePolicy.values()) {
      RateLimitClient client =
          RateLimitClient.builder(silent, policy).timeout(Duration.ofMillis(20)).build();
      for (int i = 0; i < 2 * CheckBatches.MAX_CALLS; i++) {
        Decision decision =
            CompletableFuture.supplyAsync(() -> client.check(request("ann")))
                .get(20, TimeUnit.SECONDS);
        assertEquals(policy == FailurePolicy.OPEN, decision.allowed());
        assertEquals(Status.Code.DEADLINE_EXCEEDED, decision.failure().getCode());
      }
    }
  }

  @Test
  void checkThatIsTooLongToBeOneIsAFaultAndAsksNobody() {
    for (FailurePolicy policy : FailurePolicy.values()) {
      StatusRuntimeException fault =
          assertThrows(
              StatusRuntimeException.class,
              () -> client(policy).check(request("x".repeat(5 << 20))));
      assertEquals(Status.Code.INVALID_ARGUMENT, fault.getStatus().getCode());
    }
    assertTrue(weir.singles.isEmpty());
  }

  @Test
  void errorOfTheChannelIsNoDecisionAndFreesItsPlace() throws Exception {
    Channel failing =
        ClientInterceptors.intercept(
            channel,
            new ClientInterceptor() {
              @Override
              public <Q, A> ClientCall<Q, A> interceptCall(
                  MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
                throw new StackOverflowError("as the test wants it");
              }
            });
    RateLimitClient client =
        RateLimitClient.builder(failing, FailurePolicy.OPEN).timeout(LONG).build();
    for (int i = 0; i <= CheckBatches.MAX_CALLS; i++) {
      Decision decision = client.checkAsync(request("ann")).get(20, TimeUnit.SECONDS);
      assertTrue(decision.allowed());
      assertFalse(decision.isDecided());
    }
  }

  private List<FakeRateLimiter.Single> singles(int count) throws InterruptedException {
    List<FakeRateLimiter.Single> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      calls.add(weir.single());
    }
    return calls;
  }

  @Test
  void tellsWhatWasDecided() throws Exception {
    RateLimitClient client = client(FailurePolicy.CLOSED);
    CompletableFuture<Decision> asked =
        CompletableFuture.supplyAsync(() -> client.check(request("alice")));
    FakeRateLimiter.Single call = weir.single();
    assertEquals(request("alice"), call.request());
    call.answer(FakeRateLimiter.allowed(7));
    Decision decision = asked.join();
    assertTrue(decision.allowed());
    assertTrue(decision.isDecided());
    assertNull(decision.failure());
    assertEquals(7, decision.response().getRemaining());
  }

  @Test
  void aChannelThatThrowsIsNoDecisionAndTakesNoPlace() throws Exception {
    AtomicInteger failures = new AtomicInteger(CheckBatches.MAX_CALLS + 1);
    ClientInterceptor throwing =
        new ClientInterceptor() {
          @Override
          public <Q, A> ClientCall<Q, A> interceptCall(
              MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            if (failures.getAndDecrement() > 0) {
              throw new IllegalStateException("no credentials");
            }
            return next.newCall(method, options);
          }
        };
    RateLimitClient client =
        RateLimitClient.builder(
                ClientInterceptors.intercept(channel, throwing), FailurePolicy.CLOSED)
            .timeout(LONG)
            .build();
    for (CompletableFuture<Decision> failed : ask(client, 0, CheckBatches.MAX_CALLS + 1)) {
      assertFalse(failed.get(10, TimeUnit.SECONDS).isDecided());
    }
    CompletableFuture<Decision> asked = client.checkAsync(request("alice"));
    weir.single().answer(FakeRateLimiter.allowed(7));
    assertTrue(asked.get(10, TimeUnit.SECONDS).isDecided());
  }

  @Test
  void refusalIsADecision() throws Exception {
    CompletableFuture<Decision> asked = client(FailurePolicy.OPEN).checkAsync(request("alice"));
    weir.single().answer(FakeRateLimiter.allowed(0).toBuilder().setAllowed(false).build());
    assertFalse(asked.join().allowed());
    assertTrue(asked.join().isDecided());
  }

  @Test
  void goesAtOnceWhileFewCallsAreAway() throws Exception {
    ask(client(FailurePolicy.OPEN), 0, CheckBatches.MAX_CALLS);
    assertEquals(CheckBatches.MAX_CALLS, singles(CheckBatches.MAX_CALLS).size());
  }

  @Test
  void whatComesWhileCallsAreAwayGoesInOne() throws Exception {
    RateLimitClient client = client(FailurePolicy.CLOSED);
    List<CompletableFuture<Decision>> first = ask(client, 0, CheckBatches.MAX_CALLS);
    List<FakeRateLimiter.Single> away = singles(CheckBatches.MAX_CALLS);
    List<CompletableFuture<Decision>> later = ask(client, 10, 13);
    away.get(0).answer(FakeRateLimiter.allowed(1));

    FakeRateLimiter.Batch batch = weir.batch();
    assertEquals(
        List.of(request("u10"), request("u11"), request("u12")), batch.request().getChecksList());
    batch.answer(
        CheckRateLimitsResponse.newBuilder()
            .addResults(result(10))
            .addResults(
                CheckRateLimitResult.newBuilder()
                    .setError(
                        com.google.rpc.Status.newBuilder()
                            .setCode(Status.Code.INVALID_ARGUMENT.value())
                            .setMessage("cost: -1 (expected: 0 or more)")))
            .addResults(result(12))
            .build());
    assertEquals(10, later.get(0).join().response().getRemaining());
    assertEquals(
        "INVALID_ARGUMENT: cost: -1 (expected: 0 or more)", thrown(later.get(1)).getMessage());
    assertEquals(12, later.get(2).join().response().getRemaining());
    assertEquals(1, first.stream().filter(CompletableFuture::isDone).count());
  }

  private static StatusRuntimeException thrown(CompletableFuture<Decision> decision) {
    Throwable cause = assertThrows(CompletionException.class, decision::join).getCause();
    return assertInstanceOf(StatusRuntimeException.class, cause);
  }

  private static CheckRateLimitResult result(long remaining) {
    return CheckRateLimitResult.newBuilder()
        .setResponse(FakeRateLimiter.allowed(remaining))
        .build();
  }

  @Test
  void aCallTakesAThousandChecks() throws Exception {
    RateLimitClient client = client(FailurePolicy.OPEN);
    ask(client, 0, CheckBatches.MAX_CALLS);
    List<FakeRateLimiter.Single> away = singles(CheckBatches.MAX_CALLS);
    ask(client, 0, CheckBatches.MAX_CHECKS + 2);
    away.get(0).answer(FakeRateLimiter.allowed(1));
    assertEquals(CheckBatches.MAX_CHECKS, weir.batch().request().getChecksCount());
    away.get(1).answer(FakeRateLimiter.allowed(1));
    assertEquals(2, weir.batch().request().getChecksCount());
  }

  @Test
  void aCallTakesAMebibyte() throws Exception {
    RateLimitClient client = client(FailurePolicy.OPEN);
    ask(client, 0, CheckBatches.MAX_CALLS);
    List<FakeRateLimiter.Single> away = singles(CheckBatches.MAX_CALLS);
    CheckRateLimitRequest large = request("x".repeat(CheckBatches.MAX_CALL_BYTES * 2 / 5));
    for (int i = 0; i < 3; i++) {
      client.checkAsync(large);
    }
    away.get(0).answer(FakeRateLimiter.allowed(1));
    assertEquals(2, weir.batch().request().getChecksCount());
    away.get(1).answer(FakeRateLimiter.allowed(1));
    assertEquals(large, weir.single().request());
  }

  @Test
  void moreThanMayWaitIsNotDecided() throws Exception {
    RateLimitClient client = client(FailurePolicy.CLOSED);
    ask(client, 0, CheckBatches.MAX_CALLS);
    singles(CheckBatches.MAX_CALLS);
    List<CompletableFuture<Decision>> waiting = ask(client, 0, CheckBatches.MAX_WAITING + 1);
    Decision last = waiting.get(CheckBatches.MAX_WAITING).join();
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, last.failure().getCode());
    assertFalse(last.allowed());
    assertFalse(waiting.get(CheckBatches.MAX_WAITING - 1).isDone());
  }

  @Test
  void openLetsPassWhatIsNotDecided() throws Exception {
    CompletableFuture<Decision> asked = client(FailurePolicy.OPEN).checkAsync(request("alice"));
    weir.single().observer().onError(Status.UNAVAILABLE.asException());
    assertTrue(asked.join().allowed());
    assertFalse(asked.join().isDecided());
    assertEquals(Status.Code.UNAVAILABLE, asked.join().failure().getCode());
  }

  @Test
  void closedRefusesWhatIsNotDecided() throws Exception {
    CompletableFuture<Decision> asked = client(FailurePolicy.CLOSED).checkAsync(request("alice"));
    weir.single().observer().onError(Status.UNAVAILABLE.asException());
    assertFalse(asked.join().allowed());
    assertFalse(asked.join().isDecided());
  }

  @Test
  void wholeBatchIsNotDecidedIfItsCallFailsOrLacksResults() throws Exception {
    RateLimitClient client = client(FailurePolicy.CLOSED);
    ask(client, 0, CheckBatches.MAX_CALLS);
    List<FakeRateLimiter.Single> away = singles(CheckBatches.MAX_CALLS);
    List<CompletableFuture<Decision>> first = ask(client, 0, 2);
    away.get(0).answer(FakeRateLimiter.allowed(1));
    FakeRateLimiter.Batch tooShort = weir.batch();
    List<CompletableFuture<Decision>> second = ask(client, 0, 2);
    tooShort.answer(CheckRateLimitsResponse.newBuilder().addResults(result(1)).build());
    weir.batch().observer().onError(Status.UNAVAILABLE.asException());
    for (CompletableFuture<Decision> decision : first) {
      assertEquals(Status.Code.INTERNAL, decision.join().failure().getCode());
    }
    for (CompletableFuture<Decision> decision : second) {
      assertEquals(Status.Code.UNAVAILABLE, decision.join().failure().getCode());
    }
  }

  @Test
  void faultOfTheCheckIsThrownWhateverThePolicy() throws Exception {
    RateLimitClient client = client(FailurePolicy.OPEN);
    CompletableFuture<Decision> asked =
        CompletableFuture.supplyAsync(() -> client.check(request("alice")));
    weir.single().observer().onError(Status.NOT_FOUND.withDescription("no rule").asException());
    assertEquals("NOT_FOUND: no rule", thrown(asked).getMessage());
  }

  @Test
  void deadlineEndsWhatIsAwayAndWhatWaits() throws Exception {
    RateLimitClient client =
        RateLimitClient.builder(channel, FailurePolicy.OPEN).timeout(Duration.ofMillis(20)).build();
    for (CompletableFuture<Decision> decision : ask(client, 0, CheckBatches.MAX_CALLS + 1)) {
      Decision late = decision.get(10, TimeUnit.SECONDS);
      assertEquals(Status.Code.DEADLINE_EXCEEDED, late.failure().getCode());
      assertTrue(late.allowed());
    }
  }

  @Test
  void deadlineOfTheContextIsInForceToo() throws Exception {
    RateLimitClient client = client(FailurePolicy.CLOSED);
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try (Context.CancellableContext context =
        Context.current().withDeadlineAfter(20, TimeUnit.MILLISECONDS, timer)) {
      CompletableFuture<Decision> asked = context.call(() -> client.checkAsync(request("alice")));
      Decision late = asked.get(10, TimeUnit.SECONDS);
      assertEquals(Status.Code.DEADLINE_EXCEEDED, late.failure().getCode());
    } finally {
      timer.shutdownNow();
    }
  }

  @Test
  void cancelledContextEndsNobodysCall() throws Exception {
    RateLimitClient client = client(FailurePolicy.CLOSED);
    CompletableFuture<Decision> asked;
    try (Context.CancellableContext context = Context.current().withCancellation()) {
      asked = context.call(() -> client.checkAsync(request("alice")));
    }
    weir.single().answer(FakeRateLimiter.allowed(3));
    assertEquals(3, asked.join().response().getRemaining());
  }

  @Test
  void whoGaveUpIsNotAskedFor() throws Exception {
    RateLimitClient client = client(FailurePolicy.CLOSED);
    ask(client, 0, CheckBatches.MAX_CALLS);
    List<FakeRateLimiter.Single> away = singles(CheckBatches.MAX_CALLS);
    List<CompletableFuture<Decision>> waiting = ask(client, 10, 12);
    waiting.get(0).cancel(false);
    away.get(0).answer(FakeRateLimiter.allowed(1));
    assertEquals(request("u11"), weir.single().request());
  }

  @Test
  void interruptEndsTheWait() {
    Thread.currentThread().interrupt();
    StatusRuntimeException thrown =
        assertThrows(
            StatusRuntimeException.class, () -> client(FailurePolicy.OPEN).check(request("alice")));
    assertTrue(Thread.interrupted());
    assertSame(Status.Code.CANCELLED, thrown.getStatus().getCode());
  }

  @Test
  void sendsItsToken() throws Exception {
    RateLimitClient client =
        RateLimitClient.builder(channel, FailurePolicy.OPEN).timeout(LONG).token("s3cret").build();
    client.checkAsync(request("alice"));
    Metadata sent = headers.poll(10, TimeUnit.SECONDS);
    assertEquals(
        "Bearer s3cret",
        sent.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER)));
  }

  @Test
  void refusesATimeoutOfNothing() {
    RateLimitClient.Builder builder = RateLimitClient.builder(channel, FailurePolicy.OPEN);
    assertEquals(
        "timeout: PT0S (expected: more than 0)",
        assertThrows(IllegalArgumentException.class, () -> builder.timeout(Duration.ZERO))
            .getMessage());
  }
}

package dev.weir.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import com.google.protobuf.StringValue;
import com.google.rpc.RetryInfo;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResponse;
import dev.weir.v1.Dimension;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RateLimitInterceptorTest {
  private static final Context.Key<String> USER = Context.key("user");
  private static final Metadata.Key<String> NAME =
      Metadata.Key.of("name", Metadata.ASCII_STRING_MARSHALLER);

  private static final MethodDescriptor<StringValue, StringValue> SAY =
      method("Say", MethodDescriptor.MethodType.UNARY);
  private static final MethodDescriptor<StringValue, StringValue> TALK =
      method("Talk", MethodDescriptor.MethodType.BIDI_STREAMING);

  private final FakeRateLimiter weir = new FakeRateLimiter();
  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private final List<Server> servers = new ArrayList<>();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private ManagedChannel service;
  private final CountDownLatch left = new CountDownLatch(1);

  /** What the service throws when it is to take a call; null if it takes it. */
  private volatile Error startFails;

  /** Stands for what checks a token: puts into the context who calls. */
  private final ServerInterceptor authentication =
      new ServerInterceptor() {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
          Context context = Context.current().withValue(USER, headers.get(NAME));
          return new SimpleForwardingServerCallListener<>(
              Contexts.interceptCall(context, call, headers, next)) {
            @Override
            public void onCancel() {
              super.onCancel();
              left.countDown();
            }
          };
        }
      };

  private static MethodDescriptor<StringValue, StringValue> method(
      String name, MethodDescriptor.MethodType type) {
    return MethodDescriptor.<StringValue, StringValue>newBuilder()
        .setType(type)
        .setFullMethodName("test.Echo/" + name)
        .setRequestMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
        .setResponseMarshaller(ProtoUtils.marshaller(StringValue.getDefaultInstance()))
        .build();
  }

  @BeforeEach
  void start() throws Exception {
    String weirName = InProcessServerBuilder.generateName();
    servers.add(InProcessServerBuilder.forName(weirName).addService(weir).build().start());
    // What the answer to a check does is done when it has been given.
    channels.add(InProcessChannelBuilder.forName(weirName).directExecutor().build());
    RateLimitClient client =
        RateLimitClient.builder(channels.get(0), FailurePolicy.CLOSED)
            .timeout(java.time.Duration.ofSeconds(50))
            .build();
    ServerServiceDefinition echo =
        ServerServiceDefinition.builder("test.Echo")
            .addMethod(
                SAY,
                (call, headers) -> {
                  if (startFails != null) {
                    throw startFails;
                  }
                  return ServerCalls.<StringValue, StringValue>asyncUnaryCall(this::say)
                      .startCall(call, headers);
                })
            .addMethod(TALK, ServerCalls.asyncBidiStreamingCall(this::talk))
            .build();
    String name = InProcessServerBuilder.generateName();
    servers.add(
        InProcessServerBuilder.forName(name)
            .addService(
                ServerInterceptors.interceptForward(
                    echo,
                    authentication,
                    new RateLimitInterceptor(client, Dimension.USER, USER::get)))
            .build()
            .start());
    service = InProcessChannelBuilder.forName(name).build();
    channels.add(service);
  }

  @AfterEach
  void stop() throws InterruptedException {
    for (ManagedChannel channel : channels) {
      channel.shutdownNow();
      assertTrue(channel.awaitTermination(10, TimeUnit.SECONDS));
    }
    for (Server server : servers) {
      server.shutdownNow();
      assertTrue(server.awaitTermination(10, TimeUnit.SECONDS));
    }
  }

  private void say(StringValue request, StreamObserver<StringValue> observer) {
    heard.add(USER.get() + ": " + request.getValue());
    observer.onNext(request);
    observer.onCompleted();
  }

  private StreamObserver<StringValue> talk(StreamObserver<StringValue> answers) {
    heard.add("talk");
    return new StreamObserver<>() {
      @Override
      public void onNext(StringValue message) {
        heard.add(message.getValue());
        answers.onNext(message);
      }

      @Override
      public void onError(Throwable fault) {
        heard.add("cancelled");
      }

      @Override
      public void onCompleted() {
        heard.add("end");
        answers.onCompleted();
      }
    };
  }

  private Channel as(String user) {
    Metadata headers = new Metadata();
    headers.put(NAME, user);
    return ClientInterceptors.intercept(
        service, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  private static StringValue text(String value) {
    return StringValue.of(value);
  }

  private static CompletableFuture<StringValue> say(Channel channel, String value) {
    return CompletableFuture.supplyAsync(
        () -> ClientCalls.blockingUnaryCall(channel, SAY, CallOptions.DEFAULT, text(value)));
  }

  private static StatusRuntimeException failure(CompletableFuture<?> call) {
    return (StatusRuntimeException) assertThrows(CompletionException.class, call::join).getCause();
  }

  @Test
  void whatIsAllowedReachesTheService() throws Exception {
    CompletableFuture<StringValue> call = say(as("alice"), "hello");
    FakeRateLimiter.Single check = weir.single();
    assertEquals(
        CheckRateLimitRequest.newBuilder()
            .setIdentifier("alice")
            .setDimension(Dimension.USER)
            .setEndpoint("/test.Echo/Say")
            .setMethod("POST")
            .build(),
        check.request());
    assertNull(heard.peek());
    check.answer(FakeRateLimiter.allowed(1));
    assertEquals(text("hello"), call.join());
    assertEquals("alice: hello", heard.poll());
  }

  @Test
  void whatIsRefusedIsToldWhenToComeBack() throws Exception {
    CompletableFuture<StringValue> call = say(as("alice"), "hello");
    Duration wait = Duration.newBuilder().setSeconds(2).setNanos(5).build();
    weir.single()
        .answer(CheckRateLimitResponse.newBuilder().setRuleId("echo").setRetryAfter(wait).build());
    StatusRuntimeException refusal = failure(call);
    assertEquals("RESOURCE_EXHAUSTED: Quota exceeded: echo", refusal.getMessage());
    com.google.rpc.Status status = StatusProto.fromThrowable(refusal);
    assertEquals(wait, status.getDetails(0).unpack(RetryInfo.class).getRetryDelay());
    assertNull(heard.peek());
  }

  @Test
  void whatNoWaitHelpsIsToldNone() throws Exception {
    CompletableFuture<StringValue> call = say(as("alice"), "hello");
    weir.single().answer(CheckRateLimitResponse.newBuilder().setRuleId("echo").build());
    assertEquals(0, StatusProto.fromThrowable(failure(call)).getDetailsCount());
  }

  @Test
  void callOfNobodyIsRefusedAndAsksNobody() {
    assertEquals(Status.Code.UNAUTHENTICATED, failure(say(service, "hi")).getStatus().getCode());
    assertEquals(Status.Code.UNAUTHENTICATED, failure(say(as(""), "hi")).getStatus().getCode());
    assertNull(weir.singles.peek());
    assertNull(heard.peek());
  }

  @Test
  void identityThatHasNoBudgetIsTheCallersFaultAndAsksNobody() throws Exception {
    for (String bad : List.of("a".repeat(1025), "a\nb", "\u007f")) {
      assertEquals(
          "INVALID_ARGUMENT: Identity too long or with control characters (expected: 1 to 1,024"
              + " bytes without them)",
          failure(say(as(bad), "hi")).getMessage());
    }
    assertNull(weir.singles.peek());
    assertNull(heard.peek());
    say(as("a".repeat(1024)), "hi");
    assertEquals(1024, weir.single().request().getIdentifierBytes().size());
  }

  @Test
  void whatIsNotDecidedAndClosedIsUnavailable() throws Exception {
    CompletableFuture<StringValue> call = say(as("alice"), "hello");
    weir.single().observer().onError(Status.UNAVAILABLE.asException());
    assertEquals("UNAVAILABLE: Not decided", failure(call).getMessage());
    assertNull(heard.peek());
  }

  @Test
  void faultOfTheCheckIsInternal() throws Exception {
    CompletableFuture<StringValue> call = say(as("alice"), "hello");
    weir.single().observer().onError(Status.INVALID_ARGUMENT.asException());
    assertEquals(Status.Code.INTERNAL, failure(call).getStatus().getCode());
    assertNull(heard.peek());
  }

  @Test
  void messagesOfAStreamWaitForTheVerdictAndKeepTheirOrder() throws Exception {
    Answers answers = new Answers();
    StreamObserver<StringValue> call =
        ClientCalls.asyncBidiStreamingCall(as("alice").newCall(TALK, CallOptions.DEFAULT), answers);
    for (int i = 0; i < 5; i++) {
      call.onNext(text("m" + i));
    }
    call.onCompleted();
    FakeRateLimiter.Single check = weir.single();
    assertNull(heard.peek());
    check.answer(FakeRateLimiter.allowed(1));
    assertTrue(answers.completed.get(10, TimeUnit.SECONDS));
    assertEquals(List.of("talk", "m0", "m1", "m2", "m3", "m4", "end"), List.copyOf(heard));
  }

  @Test
  void serviceThatCannotBeStartedEndsTheCall() throws Exception {
    startFails = new StackOverflowError("as the test wants it");
    CompletableFuture<StringValue> call = say(as("ann"), "x");
    weir.single().answer(FakeRateLimiter.allowed(1));
    call.exceptionally(ended -> null).get(20, TimeUnit.SECONDS);
    assertEquals(Status.Code.UNKNOWN, failure(call).getStatus().getCode());
  }

  @Test
  void whoLeftBeforeTheVerdictStartsNothing() throws Exception {
    Answers answers = new Answers();
    ClientCall<StringValue, StringValue> call = as("alice").newCall(TALK, CallOptions.DEFAULT);
    ClientCalls.asyncBidiStreamingCall(call, answers);
    FakeRateLimiter.Single check = weir.single();
    call.cancel("no more", null);
    assertTrue(left.await(10, TimeUnit.SECONDS));
    check.answer(FakeRateLimiter.allowed(1));
    assertNull(heard.peek());
  }

  private static final class Answers implements StreamObserver<StringValue> {
    final CompletableFuture<Boolean> completed = new CompletableFuture<>();

    @Override
    public void onNext(StringValue message) {}

    @Override
    public void onError(Throwable fault) {
      completed.completeExceptionally(fault);
    }

    @Override
    public void onCompleted() {
      completed.complete(true);
    }
  }
}

package dev.weir.proxy.decision.v1;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.ModelAdmission;
import dev.weir.proxy.decision.DecisionRig;
import dev.weir.proxy.decision.http.Tokens;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.DecisionObserver;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import dev.weir.proxy.store.map.Topology;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResponse;
import dev.weir.v1.Dimension;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The service of the decision API on one event loop, with a store in the hand of the test. */
final class RateLimiterRig implements AutoCloseable {
  static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(16);
  private static final String HEAD = ":status: 200, content-type: application/grpc";

  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 16);
  final Metrics metrics = new Metrics();
  private final LoopMetrics loopMetrics = metrics.newLoop();
  final ModelServer server = new ModelServer(1);
  final ModelStore store =
      new ModelStore(List.of(server), List.of(), false, loopMetrics.store(), DEADLINE_NS);
  private final DecisionRig rig = new DecisionRig();
  AdmissionHandler admission;
  private int stream = -1;

  /** How often it was told what time a caller has. */
  int toldTimes;

  /** How long it takes to ask for a verdict. */
  long askingNs;

  /** How long each answer of the store takes. */
  long answerNs;

  /** Has these tokens; to be said first. */
  void tokens(Tokens of) {
    rig.tokens(of);
  }

  void start(Mode mode) {
    start(mode, OnStoreFailure.CLOSED, "10/365d");
  }

  void start(Mode mode, OnStoreFailure onStoreFailure, String rate) {
    start(rule(mode, onStoreFailure, rate));
  }

  static RuleSpec rule(Mode mode, OnStoreFailure onStoreFailure, String rate) {
    return RuleSpec.builder("r")
        .mode(mode)
        .onStoreFailure(onStoreFailure)
        .path(PathPattern.parse("/orders/**"))
        .limits(
            List.of(
                new BudgetSpec.Builder()
                    .algorithm(Algorithm.FIXED_WINDOW)
                    .rate(Rate.parse(rate))
                    .key(KeySpec.parse("header:x-user-id"))))
        .build();
  }

  void start(RuleSpec rule) {
    admission =
        ModelAdmission.of(store, Topology.STANDALONE, DEADLINE_NS, tables, loopMetrics, rule);
    DecisionObserver observer =
        new DecisionObserver() {
          @Override
          public void callStarted(DecisionCall what) {}

          @Override
          public void callEnded(DecisionCall what, int grpcStatus) {}

          @Override
          public void clientTime(long seconds, int nanos, long nowNs) {
            toldTimes++;
          }
        };
    rig.with(new RateLimiterLoop(takingTime(), store.clock(), observer).methods(), List.of());
    rig.connectHttp2();
  }

  /** The admission, within which time passes. */
  private Admission takingTime() {
    return (Admission)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Admission.class},
            (self, method, arguments) -> {
              Object result = method.invoke(admission, arguments);
              if (method.getName().equals("ask") && askingNs > 0) {
                store.pass(askingNs);
              }
              return result;
            });
  }

  static CheckRateLimitRequest.Builder check(String user) {
    return CheckRateLimitRequest.newBuilder()
        .setIdentifier(user)
        .setDimension(Dimension.USER)
        .setEndpoint("/orders/7?a=b")
        .setMethod("POST");
  }

  /** Something else takes so long in this turn, behind all that is read in it. */
  void turnTakes(long ns) {
    rig.http2.turnEnd().join(() -> store.pass(ns));
  }

  /** Makes a call, and leaves the store unanswered. */
  void send(String method, byte[] message, String... lines) {
    write(method, message, lines);
    send();
  }

  /** Has all be read at once that was written. */
  void send() {
    rig.client.send();
  }

  /** Leaves the last call in the read in which it is made. */
  void writeReset() {
    rig.client.reset(stream, ErrorCode.CANCEL);
  }

  /** Makes a call that is read with others. */
  void write(String method, byte[] message, String... lines) {
    stream += 2;
    rig.head(stream, "/weir.v1.RateLimiter/" + method, lines);
    byte[] all = DecisionRig.message(message);
    for (int at = 0; at < all.length; at += 16_384) {
      int end = Math.min(all.length, at + 16_384);
      rig.client.data(stream, end == all.length, Arrays.copyOfRange(all, at, end));
    }
  }

  /** Makes a call; each frame is read before the next is sent, so that windows open in time. */
  void sendLong(String method, byte[] message) {
    stream += 2;
    rig.head(stream, "/weir.v1.RateLimiter/" + method).send();
    byte[] all = DecisionRig.message(message);
    for (int at = 0; at < all.length; at += 16_384) {
      int end = Math.min(all.length, at + 16_384);
      rig.client.data(stream, end == all.length, Arrays.copyOfRange(all, at, end)).send();
    }
  }

  /** The stream of the last call. */
  int stream() {
    return stream;
  }

  /** Leaves the last call. */
  void cancel() {
    rig.client.reset(stream, ErrorCode.CANCEL).send();
  }

  /** The frames that have come since the last time. */
  List<String> received() {
    return rig.client.received();
  }

  /** Asks, has the store answer, and returns the frames of the answer. */
  List<String> ask(String method, byte[] message, String... lines) {
    send(method, message, lines);
    answerAll();
    return received();
  }

  /** Has the store answer all that it was asked. */
  void answerAll() {
    while (server.pendingCount() > 0) {
      if (answerNs > 0) {
        store.pass(answerNs);
      }
      server.answer();
    }
  }

  /** Asks, and returns the message of an answer that is good. */
  byte[] answer(String method, MessageLite message, String... lines) {
    List<String> frames = ask(method, message.toByteArray(), lines);
    assertEquals(3, frames.size(), frames.toString());
    assertEquals("HEADERS " + stream + " " + HEAD, frames.get(0));
    assertEquals("HEADERS " + stream + " grpc-status: 0 end", frames.get(2));
    return message(frames.get(1));
  }

  /** The message of the last call's answer, of which this is the frame of content. */
  byte[] message(String frame) {
    String data = frame.substring(("DATA " + stream + " ").length());
    byte[] bytes = data.getBytes(StandardCharsets.ISO_8859_1);
    byte[] answer = Arrays.copyOfRange(bytes, 5, bytes.length);
    assertArrayEquals(DecisionRig.message(answer), bytes);
    return answer;
  }

  /** Asks for one check. */
  CheckRateLimitResponse check(CheckRateLimitRequest.Builder request) {
    return parsed(answer("CheckRateLimit", request.build()));
  }

  /** What the generated class reads, which writes the same bytes again. */
  static CheckRateLimitResponse parsed(byte[] bytes) {
    try {
      CheckRateLimitResponse response = CheckRateLimitResponse.parseFrom(bytes);
      assertArrayEquals(response.toByteArray(), bytes);
      return response;
    } catch (InvalidProtocolBufferException malformed) {
      throw new AssertionError(malformed);
    }
  }

  /** The last call has failed. */
  void assertFails(int status, String message, List<String> frames) {
    assertEquals(
        "HEADERS "
            + stream
            + " "
            + HEAD
            + ", grpc-status: "
            + status
            + ", grpc-message: "
            + message
            + " end",
        frames.stream().filter(frame -> frame.startsWith("HEADERS")).findFirst().orElse(""));
  }

  @Override
  public void close() {
    rig.close();
    assertEquals(0, rig.open);
    assertEquals(0, rig.http2.heldBytes());
    store.close();
    tables.close();
  }
}

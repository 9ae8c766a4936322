package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.rig.FourWays;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.upstream.HeldUpstream;
import dev.weir.scripts.server.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Rules whose requests hold units until they end, with their numbers, over each protocol; time
 * stands still.
 */
@Timeout(60)
class HeldExamplesTest {
  private static final Pattern POLICY = Pattern.compile("(?mi)^ratelimit: \"([^\"]*)\"");

  /** Seconds, of calls in milliseconds. */
  private static final Pattern RETRY_AFTER =
      Pattern.compile(
          "(?mi)^(?:retry-after: |ratelimit: .*;t=|grpc-retry-pushback-ms: )(\\d+?)(?:000)?(?!\\d)");

  /** A protocol by which clients ask. */
  private enum Protocol {
    HTTP1,
    HTTP2,
    GRPC
  }

  private final AtomicLong nowNs = new AtomicLong(Rig.nextNoonNs());
  private final Map<String, CompletableFuture<String>> answers = new ConcurrentHashMap<>();
  private final List<Call> calls = new ArrayList<>();
  private Rig rig;
  private Protocol protocol;
  private int count;
  private String address = "192.0.2.1";

  private void start(Protocol by, String rules) throws Exception {
    protocol = by;
    rig = Rig.ofFile(Rig.preferredTransport(), FourWays.SETTINGS + rules, nowNs::get);
    rig.origin.script(
        service -> {
          String path = service.request().split(" ")[1];
          service.send(answer(path).join());
        });
  }

  @AfterEach
  void stop() throws Exception {
    for (Call call : calls) {
      call.close();
    }
    rig.close();
  }

  private CompletableFuture<String> answer(String path) {
    return answers.computeIfAbsent(path, each -> new CompletableFuture<>());
  }

  /** A request of a client, on a connection of its own. */
  private final class Call {
    private final String path = "/" + count++;
    private final RawClient http1;
    private final FramePeer http2;

    Call() throws IOException {
      this("GET", "x-length: 0", true);
    }

    /**
     * @param length a field that says how long the content is.
     * @param isWhole whether no content follows.
     */
    Call(String method, String length, boolean isWhole) throws IOException {
      boolean isHttp1 = protocol == Protocol.HTTP1;
      http1 = isHttp1 ? rig.connect() : null;
      http2 = isHttp1 ? null : new FramePeer(rig.sidecar.listenAddress());
      calls.add(this);
      if (isHttp1) {
        http1.send(
            method
                + " "
                + path
                + " HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: "
                + address
                + "\r\nX-User-Id: ann\r\n"
                + length
                + "\r\n\r\n");
        return;
      }
      boolean isCall = protocol == Protocol.GRPC;
      http2
          .headers(
              1,
              isWhole,
              ":method: " + (isCall ? "POST" : method),
              ":scheme: http",
              ":path: " + path,
              ":authority: a",
              "content-type: " + (isCall ? "application/grpc" : "text/plain"),
              "x-forwarded-for: " + address,
              "x-user-id: ann",
              length)
          .send();
    }

    /** Sends content, whole over HTTP/1.1; over HTTP/2 no more than the first window. */
    Call content(String bytes) throws IOException {
      if (http1 != null) {
        http1.send(bytes);
        return this;
      }
      int most = 16_384;
      for (int at = 0; at < Math.min(bytes.length(), 3 * most); at += most) {
        boolean isLast = at + most >= bytes.length();
        http2.data(1, isLast, bytes.substring(at, isLast ? bytes.length() : at + most));
      }
      http2.send();
      return this;
    }

    /** The whole answer, as lines. */
    private String read() throws IOException {
      if (http1 != null) {
        return http1.read().head();
      }
      String frame = http2.next();
      StringBuilder all = new StringBuilder(frame);
      while (!frame.endsWith(" end")) {
        frame = http2.next();
        all.append('\n').append(frame);
      }
      return all.toString().replace(", ", "\n");
    }

    /** The service has it. */
    Call passes() throws Exception {
      assertTrue(rig.origin.nextRequest().contains(" " + path + " "));
      return this;
    }

    /** It is refused; by which limit, and for how long. */
    String refused() throws IOException {
      String answer = read();
      Matcher policy = POLICY.matcher(answer);
      Matcher wait = RETRY_AFTER.matcher(answer);
      assertTrue(answer.contains(protocol == Protocol.GRPC ? "grpc-status: 8" : "429"), answer);
      return (policy.find() ? policy.group(1) : "none") + (wait.find() ? " " + wait.group(1) : "");
    }

    /** The service answers, and the client gets all of it. */
    void end(String text) throws IOException {
      answer(path).complete(text);
      read();
    }

    void leave() throws IOException {
      if (http1 == null) {
        http2.reset(1, ErrorCode.CANCEL).send();
      } else {
        http1.reset(); // after a mere end of its output it could still read
      }
    }

    private void close() throws IOException {
      answer(path).complete("");
      if (http1 == null) {
        http2.close();
      } else {
        http1.close();
      }
    }
  }

  /** Begins so many calls, which all reach the service. */
  private List<Call> begin(int calls) throws Exception {
    List<Call> begun = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      begun.add(new Call().passes());
    }
    return begun;
  }

  /** How many calls pass, one after the other, before one is refused by that limit. */
  private int passUntilRefusedBy(String limit, String answer) throws Exception {
    for (int passed = 0; ; passed++) {
      Call call = new Call();
      answer(call.path).complete(answer);
      String got = call.read();
      Matcher refused = POLICY.matcher(got);
      if (rig.origin.requestCount() == 0) {
        assertTrue(refused.find() && refused.group(1).equals(limit), got);
        return passed;
      }
      rig.origin.forget();
    }
  }

  /** An answer of the service that reports a number of tokens in one of the ways that there are. */
  private String tokens(String how, int tokens) {
    String type = protocol == Protocol.GRPC ? "application/grpc" : "text/plain";
    String head = "HTTP/1.1 200 OK\r\nContent-Type: %s\r\n";
    return switch (how) {
      case "header" ->
          head.formatted(type) + "X-Tokens: " + tokens + "\r\nContent-Length: 2\r\n\r\nok";
      case "trailer" ->
          head.formatted(type)
              + "Transfer-Encoding: chunked\r\n\r\n5\r\n\0\0\0\0\0\r\n0\r\nX-Tokens: "
              + tokens
              + "\r\nGrpc-Status: 0\r\n\r\n";
      case "json" -> {
        String body = completion(false, tokens);
        yield head.formatted("application/json")
            + "Content-Length: "
            + body.length()
            + "\r\n\r\n"
            + body;
      }
      default ->
          head.formatted("text/event-stream; charset=utf-8")
              + "Transfer-Encoding: chunked\r\n\r\n"
              + chunks(completion(true, tokens), 7);
    };
  }

  private static String completion(boolean isStreamed, int tokens) {
    return HeldUpstream.completion(isStreamed).replace("900", Integer.toString(tokens));
  }

  private static String chunks(String text, int chunkBytes) {
    StringBuilder chunks = new StringBuilder();
    for (int at = 0; at < text.length(); at += chunkBytes) {
      String chunk = text.substring(at, Math.min(text.length(), at + chunkBytes));
      chunks.append(Integer.toHexString(chunk.length())).append("\r\n").append(chunk);
      chunks.append("\r\n");
    }
    return chunks.append("0\r\n\r\n").toString();
  }

  /** The answers of a model server are of our own writing, by its public documentation. */
  @ParameterizedTest
  @CsvSource({
    "HTTP1, header, header: x-tokens",
    "HTTP1, trailer, trailer: x-tokens",
    "HTTP1, json, body-number: usage.total_tokens",
    "HTTP1, stream, body-number: usage.total_tokens",
    "HTTP2, header, header: x-tokens",
    "HTTP2, trailer, trailer: x-tokens",
    "HTTP2, json, body-number: usage.total_tokens",
    "HTTP2, stream, body-number: usage.total_tokens",
    "GRPC, trailer, trailer: x-tokens"
  })
  void of20000TokensAMinuteFiveCallsOf4000RunAndTheirCostIsKnownAtTheirEnd(
      Protocol by, String how, String cost) throws Exception {
    start(
        by,
        """
        rules:
          - id: chat
            key: header:x-user-id
            limits:
              - {name: rpm, limit: 60/1m}
              - {name: tpm, limit: 20k/1m, cost: {response: {%s}, reserve: 4000}}
        """
            .formatted(cost));
    List<Call> five = begin(5);
    assertTrue(new Call().refused().startsWith("tpm"));
    five.get(0).end(tokens(how, 900));
    assertTrue(new Call().refused().startsWith("tpm"), "3,100 are free");
    five.get(1).end(tokens(how, 1_200));
    Call sixth = new Call().passes();
    assertTrue(new Call().refused().startsWith("tpm"), "1,900 are free");
    for (Call call : List.of(five.get(2), five.get(3), five.get(4), sixth)) {
      call.end(tokens(how, 0));
    }
    assertEquals(54, passUntilRefusedBy("rpm", tokens(how, 0)), "of 60, six have passed");
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void fiveWrongPasswordsAreChargedAndRightOnesCostNothing(Protocol by) throws Exception {
    start(
        by,
        """
        rules:
          - id: log-in
            limit: 5/15m
            key: ip
            cost: {response: {status: [401, UNAUTHENTICATED]}}
            ban: {after: 20/15m, for: [15m, 1h]}
        """);
    for (int i = 0; i < 20; i++) {
      for (Call right : begin(5)) {
        right.end(logIn(true));
      }
    }
    assertEquals(5, passUntilRefusedBy("log-in", logIn(false)));
    for (int i = 0; i < 18; i++) {
      assertEquals("log-in 180", new Call().refused());
    }
    assertEquals(900, Integer.parseInt(new Call().refused().split(" ")[1]), "the twentieth bans");
    nowNs.addAndGet(Duration.ofMinutes(15).toNanos());
    assertEquals(5, passUntilRefusedBy("log-in", logIn(false)));
    address = "192.0.2.2";
    List<Call> five = begin(5);
    assertTrue(new Call().refused().startsWith("log-in"), "five at a time");
    five.get(0).end(logIn(true));
    new Call().passes();
  }

  private static final int KIB = 1024;

  /** The example's unit is a MiB; here it is a KiB. */
  @ParameterizedTest
  @EnumSource(Protocol.class)
  void anUploadIsChargedByItsLengthAtOnceAndOneWithoutIsHeldAndSettled(Protocol by)
      throws Exception {
    start(
        by,
        "rules:\n  - {id: uploads, key: header:x-user-id, limit: 1024/1d,"
            + " algorithm: fixed-window, cost: {request-bytes: 1KiB}}\n");
    Call known = new Call("POST", "content-length: 293000", false);
    known.content("x".repeat(293_000));
    rig.await("weir_requests_in_flight", 1);
    rig.await("weir_holdings_open", 0);
    assertEquals(1024 - 287 - 1, leftBehindAnUpload());
    if (by == Protocol.HTTP1) {
      known.end(tokens("header", 0));
    } else {
      known.leave();
    }
    boolean isHttp1 = by == Protocol.HTTP1;
    Call unknown = new Call("POST", isHttp1 ? "transfer-encoding: chunked" : "x-length: ?", false);
    rig.await("weir_holdings_open", 1);
    assertEquals(1024 - 288 - 64 - 1, leftBehindAnUpload(), "a sixteenth is held");
    String content = "x".repeat(10 * KIB);
    unknown.content(isHttp1 ? "2800\r\n" + content + "\r\n0\r\n\r\n" : content);
    unknown.end(tokens("header", 0));
    rig.await("weir_holdings_open", 0);
    assertEquals(1024 - 289 - 10 - 1, leftBehindAnUpload());
  }

  /** Uploads a byte, which takes one unit, and says how many are left. */
  private int leftBehindAnUpload() throws IOException {
    Call one = new Call("POST", "content-length: 1", false).content("x");
    answer(one.path).complete(tokens("header", 0));
    String got = one.read();
    Matcher left = Pattern.compile("(?i)ratelimit: .*;r=(\\d+)").matcher(got);
    assertTrue(left.find(), got);
    return Integer.parseInt(left.group(1));
  }

  @Test
  void fewerRequestsRunAtATimeWhileTheServiceIsSlowAndTheRestIsToldToComeBack() throws Exception {
    start(Protocol.HTTP1, "rules:\n  - {id: r, concurrency: {adaptive: {min: 10, max: 20}}}\n");
    List<RawClient> clients = new ArrayList<>();
    try {
      while (clients.size() < 21) {
        clients.add(rig.connect());
      }
      assertEquals(10, runAtATime(clients, 20));
      assertEquals(20, runAtATime(clients, 20, 20), "while it takes 20 ms");
      assertEquals(10, runAtATime(clients, 60, 10), "when it takes 60 ms");
      assertEquals(20, runAtATime(clients, 20, 20), "when it is quick again");
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  /** How many run at a time, once they are so many, or after a minute of the service's times. */
  private int runAtATime(List<RawClient> clients, int takesMs, int wanted) throws Exception {
    int number = 0;
    for (int ms = 0; number != wanted && ms < 60_000; ms += takesMs) {
      number = runAtATime(clients, takesMs);
    }
    return number;
  }

  /** Sends as many requests at once as pass, and one that does not; the service answers later. */
  private int runAtATime(List<RawClient> clients, int takesMs) throws Exception {
    int number = (int) rig.metric("weir_adaptive_limit");
    String path = "/" + count++;
    String request = "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
    for (RawClient client : clients.subList(0, number)) {
      client.send(request);
      assertTrue(rig.origin.nextRequest().contains(" " + path + " "));
    }
    RawClient.Response rest = clients.get(number).send(request).read();
    assertEquals(503, rest.status());
    assertEquals("1", rest.field("Retry-After"));
    nowNs.addAndGet(Duration.ofMillis(takesMs).toNanos());
    answer(path).complete(tokens("header", 0));
    for (RawClient client : clients.subList(0, number)) {
      assertEquals(200, client.read().status());
    }
    answers.remove(path);
    return number;
  }

  private String logIn(boolean isRight) {
    if (protocol == Protocol.GRPC) {
      return "HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "0\r\nGrpc-Status: "
          + (isRight ? 0 : 16)
          + "\r\n\r\n";
    }
    return "HTTP/1.1 " + (isRight ? "200 OK" : "401 No") + "\r\nContent-Length: 0\r\n\r\n";
  }

  @ParameterizedTest
  @EnumSource(Protocol.class)
  void threeReportsRunAtATimeAndTheSlotOfWhoLeavesIsFree(Protocol by) throws Exception {
    start(by, "rules:\n  - {id: reports, key: header:x-user-id, concurrency: 3, limit: 100/1m}\n");
    List<Call> three = begin(3);
    for (int i = 0; i < 2; i++) {
      assertEquals("reports-concurrency 1", new Call().refused());
    }
    three.get(0).leave();
    Await.until(
        "the slot is free",
        () -> {
          Call next = new Call();
          answer(next.path).complete(tokens("header", 0));
          next.read();
          return rig.origin.requestCount() == 1;
        });
    rig.origin.forget();
    for (Call call : three.subList(1, 3)) {
      call.end(tokens("header", 0));
    }
    assertEquals(
        96, passUntilRefusedBy("reports", tokens("header", 0)), "of 100, four have passed");
  }
}

package dev.weir.proxy.envoy.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.decision.DecisionRig;
import dev.weir.proxy.envoy.file.Configurations;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Envoy's rate-limit service, by frames and by requests. */
class ShouldRateLimitTest {
  private static final String PATH = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1_000, 4, 0), 0);
  private final DecisionRig rig = new DecisionRig();
  private final RateLimitErrors errors = new RateLimitErrors();
  private final LoopMetrics metrics = new Metrics().newLoop();
  private final RateLimiter limiter = LimiterRig.local(tables, metrics, errors, rig.clock);
  private boolean isReady = true;

  private void start(String text) {
    limiter.prepare(null, Configurations.local(text)).run();
    rig.with(
        List.of(new ShouldRateLimit(limiter, errors, metrics.responseTimes(), rig.clock)),
        List.of(new JsonEndpoint(limiter, errors), new HealthEndpoint(() -> isReady)));
  }

  private void startWithOneLimit() {
    start(
        """
        domain: d
        descriptors:
          - key: k
            rate_limit: {unit: minute, requests_per_unit: 2, name: two}
          - key: free
            rate_limit: {unlimited: true}
        """);
  }

  @AfterEach
  void end() {
    rig.close();
    assertEquals(0, rig.open);
    tables.close();
  }

  private List<String> call(int stream, String hex) {
    byte[] message = DecisionRig.message(HexFormat.ofDelimiter(" ").parseHex(hex));
    rig.head(stream, PATH).data(stream, true, message).send();
    return rig.client.received();
  }

  /** A frame of an answer's message, of such bytes. */
  private static String data(int stream, String hex) {
    byte[] bytes = DecisionRig.message(HexFormat.ofDelimiter(" ").parseHex(hex));
    return "DATA " + stream + " " + new String(bytes, StandardCharsets.ISO_8859_1);
  }

  @Test
  void answersACallByteForByte() {
    startWithOneLimit();
    rig.connectHttp2();
    // domain d; descriptors: k=v, free=, none=x
    String call =
        "0a 01 64 12 08 0a 06 0a 01 6b 12 01 76 12 08 0a 06 0a 04 66 72 65 65"
            + " 12 0b 0a 09 0a 04 6e 6f 6e 65 12 01 78";
    List<String> frames = call(1, call);
    assertEquals(
        data(
            1,
            "08 01"
                + " 12 13 08 01 12 09 08 02 10 02 1a 03 74 77 6f 18 01 22 02 08 3c"
                + " 12 08 08 01 18 ff ff ff ff 0f"
                + " 12 02 08 01"),
        frames.get(1));
    call(3, call);
    frames = call(5, call);
    assertTrue(frames.get(1).contains("\u0008\u0002\u0012\u0011\u0008\u0002"), frames.toString());
    assertEquals("HEADERS 5 grpc-status: 0 end", frames.get(2));
  }

  @ParameterizedTest
  @CsvSource({
    "ff, not a RateLimitRequest",
    "0a 05 64, not a RateLimitRequest",
    "0a 01 ff, not a RateLimitRequest",
    "12 03 0a 01 ff, not a RateLimitRequest",
    "0a 01 64, descriptors: none (expected: 1 or more)",
    "12 08 0a 06 0a 01 6b 12 01 76, domain: empty (expected: the domain of a file)",
    "0a 01 64 12 0c 0a 06 0a 01 6b 12 01 76 12 02 08 05,"
        + " descriptors.limit.unit: not known (expected: SECOND to WEEK)",
    "0a 01 64 12 0e 0a 06 0a 01 6b 12 01 76 12 04 08 05 10 09,"
        + " descriptors.limit.unit: not known (expected: SECOND to WEEK)",
  })
  void saysWhatIsWrongWithACall(String hex, String problem) {
    startWithOneLimit();
    rig.connectHttp2();
    String told = call(1, hex).get(0);
    assertTrue(told.contains("grpc-status: 3, grpc-message: " + problem), told);
    assertEquals(1, errors.ofCaller.sum());
    assertEquals(List.of("SHOULD_RATE_LIMIT 3"), rig.ends);
    call(3, "0a 01 64 12 08 0a 06 0a 01 6b 12 01 76");
    assertEquals("SHOULD_RATE_LIMIT 0", rig.ends.get(1));
  }

  @Test
  void passesOverFieldsThatItDoesNotKnow() {
    startWithOneLimit();
    rig.connectHttp2();
    // Field 9 of the call, of an entry and of a descriptor; the domain last, and hits of 2.
    String call = "4a 01 78 12 0c 0a 08 48 05 12 01 76 0a 01 6b 48 01 18 02 0a 01 64";
    assertTrue(call(1, call).get(1).contains("\b\u0001\u0012"), "two hits of two");
    assertTrue(call(3, call).get(1).contains("\b\u0002\u0012"), "no third one");
    assertEquals(List.of("SHOULD_RATE_LIMIT 0", "SHOULD_RATE_LIMIT 0"), rig.ends);
  }

  @Test
  void refusesMoreDescriptorsThanOneCallMayHave() {
    startWithOneLimit();
    rig.connectHttp2();
    String told = call(1, "0a 01 64" + " 12 00".repeat(RateLimitCall.MAX_DESCRIPTORS + 1)).get(0);
    assertTrue(told.contains("grpc-message: descriptors: too many"), told);
  }

  @Test
  void addsFieldsOfTheLimitThatIsClosest() {
    start(
        """
        domain: d
        weir: {headers: x-ratelimit}
        descriptors:
          - key: k
            rate_limit: {unit: minute, requests_per_unit: 5}
        """);
    rig.connectHttp2();
    String answer = call(1, "0a 01 64 12 08 0a 06 0a 01 6b 12 01 76").get(1);
    assertTrue(answer.contains("\n\u0011X-RateLimit-Limit\u0012\u00015"), answer);
    assertTrue(answer.contains("\n\u0015X-RateLimit-Remaining\u0012\u00014"), answer);
    assertTrue(answer.contains("\n\u0011X-RateLimit-Reset\u0012\u000260"), answer);
  }

  private String http(String request) {
    rig.connect();
    rig.channel.writeInbound(Unpooled.copiedBuffer(request, StandardCharsets.UTF_8));
    rig.channel.runPendingTasks();
    StringBuilder text = new StringBuilder();
    for (ByteBuf out = rig.channel.readOutbound(); out != null; out = rig.channel.readOutbound()) {
      text.append(out.toString(StandardCharsets.UTF_8));
      out.release();
    }
    return text.toString();
  }

  private static String post(String body) {
    return "POST /json HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
  }

  @Test
  void answersJsonWithTheStatusThatSaysTheSame() {
    startWithOneLimit();
    String call =
        post(
            "{\"domain\":\"d\",\"hitsAddend\":2,\"descriptors\":["
                + "{\"entries\":[{\"key\":\"k\",\"value\":\"v\"}]},"
                + "{\"entries\":[{\"key\":\"free\"}]}]}");
    String answer = http(call + call);
    assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
    assertTrue(
        answer.contains(
            "{\"overallCode\":\"OK\",\"statuses\":[{\"code\":\"OK\",\"currentLimit\":"
                + "{\"name\":\"two\",\"requestsPerUnit\":2,\"unit\":\"MINUTE\"},"
                + "\"durationUntilReset\":\"60s\"},"
                + "{\"code\":\"OK\",\"limitRemaining\":4294967295}]}"),
        answer);
    assertTrue(answer.contains("HTTP/1.1 429 "), answer);
    assertTrue(answer.contains("{\"overallCode\":\"OVER_LIMIT\""), answer);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | body: none (expected: an object)",
        "{ | (expected: JSON)",
        "[] | body: a list (expected: an object)",
        "{\"domain\":5} | domain: a number (expected: a text)",
        "{\"domain\":\"\\udc00\"} | domain: ? (expected: a text of whole characters)",
        "{\"domian\":\"d\"} | domian: unknown (expected: domain, descriptors or hits_addend)",
        "{\"domain\":\"d\"} | descriptors: none",
        "{\"domain\":\"d\",\"descriptors\":{}} | descriptors: an object (expected: a list)",
        "{\"domain\":\"d\",\"descriptors\":[{\"hitsAddend\":-1}]}"
            + " | descriptors[0].hitsAddend: -1 (expected: a whole number from 0",
        "{\"domain\":\"d\",\"descriptors\":[{\"limit\":{\"requests_per_unit\":1}}]}"
            + " | descriptors.limit.unit: not known",
        "{\"domain\":\"d\",\"domain\":\"e\"} | Duplicate field 'domain' (expected: JSON)",
        "{\"domain\":\"d\",\"hitsAddend\":1,\"hits_addend\":2} | hits_addend: in both spellings",
        "{\"domain\":\"d\",\"hitsAddend\":\"+1\"} | hitsAddend: +1 (expected: a whole number",
        "{\"domain\":\"d\",\"hitsAddend\":\"\\u0661\"} | (expected: a whole number from 0",
        "{\"domain\":\"d\",\"descriptors\":[{\"limit\":{\"unit\":1.5}}]}"
            + " | descriptors[0].limit.unit: 1.5 (expected: SECOND to WEEK)",
        "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[]}]} {} | body: an object (expected: nothing behind",
      })
  void saysWhatIsWrongWithABody(String body, String problem) {
    startWithOneLimit();
    String answer = http(post(body));
    assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
    assertTrue(answer.contains(problem), answer);
  }

  /** Numbers of a few characters that have, or divide by one of, a billion digits. */
  @ParameterizedTest
  @ValueSource(strings = {"1e999999999", "1e-999999999", "1e99999999999", "0.5", "-0.1", "1e10"})
  void tellsOfANumberThatIsTooMuchToReckonWith(String number) {
    startWithOneLimit();
    String answer = http(post("{\"domain\":\"d\",\"hitsAddend\":" + number + "}"));
    assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
    assertTrue(answer.contains("hitsAddend: " + number + " (expected: a whole number"), answer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"%s", "\"%s\"", "[%s]", "{\"%s\":1}"})
  void tellsOfWhatIsLongOnlyHowItBegins(String form) {
    startWithOneLimit();
    String number = form.formatted("9".repeat(900));
    String answer = http(post("{\"domain\":\"d\",\"hitsAddend\":" + number + "}"));
    assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
    assertTrue(answer.contains("hitsAddend: "), answer);
    assertTrue(answer.length() < 400, answer);
    answer = http(post("{\"" + "x".repeat(900) + "\":1}"));
    assertTrue(answer.contains("... (900 characters): unknown"), answer);
    assertTrue(answer.length() < 400, answer);
  }

  @Test
  void saysWhetherCallsAreServed() {
    startWithOneLimit();
    String check = "GET /healthcheck HTTP/1.1\r\nHost: a\r\n\r\n";
    String answer = http(check);
    assertTrue(answer.startsWith("HTTP/1.1 200 ") && answer.endsWith("\r\n\r\nOK"), answer);
  }
}

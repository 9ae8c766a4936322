package dev.weir.proxy.decision.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.decision.DecisionRig;
import dev.weir.proxy.decision.grpc.GrpcCalls;
import dev.weir.proxy.downstream.listen.EmbeddedClient;
import dev.weir.proxy.envoy.call.HealthEndpoint;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests of HTTP that are answered here, in both versions. */
class HttpEndpointTest {
  /** Says what it was asked, at once or later. */
  private static final class Mirror implements HttpEndpoint {
    private final List<HttpCall> held = new ArrayList<>();
    private boolean holds;
    private int cancelled;

    @Override
    public HttpRoute route() {
      return new HttpRoute("POST", "/v1/mirror");
    }

    @Override
    public DecisionCall kind() {
      return DecisionCall.HTTP_CHECK;
    }

    @Override
    public int maxBodyBytes() {
      return 20_000;
    }

    @Override
    public void request(HttpCall call) {
      if (holds) {
        held.add(call);
      } else {
        answer(call);
      }
    }

    void answer(HttpCall call) {
      RequestView view = call.request();
      byte[] body = new byte[call.body().capacity()];
      call.body().getBytes(0, body);
      call.answer(200)
          .field("x-query", view.text(view.queryOffset(), view.queryLength()))
          .field("x-fields", Integer.toString(view.fieldCount()))
          .field("retry-after", "5")
          .body(body, body.length)
          .send();
    }

    @Override
    public void cancelled(HttpCall call) {
      cancelled++;
    }
  }

  private final Mirror mirror = new Mirror();
  private final DecisionRig rig = new DecisionRig().with(List.of(), List.of(mirror));

  @AfterEach
  void end() {
    rig.close();
    assertEquals(0, rig.open);
  }

  private String http1(String request) {
    rig.channel.writeInbound(Unpooled.copiedBuffer(request, StandardCharsets.ISO_8859_1));
    return written();
  }

  private String written() {
    return written(rig);
  }

  private static String written(DecisionRig rig) {
    rig.channel.runPendingTasks();
    StringBuilder text = new StringBuilder();
    for (ByteBuf out = rig.channel.readOutbound(); out != null; out = rig.channel.readOutbound()) {
      text.append(out.toString(StandardCharsets.ISO_8859_1));
      out.release();
    }
    return text.toString();
  }

  /** Sends the beginnings of so many bodies of so many bytes, each on a stream of its own. */
  private void beginBodies(int count, int bytes) {
    for (int i = 0; i < count; i++) {
      int stream = 2 * i + 1;
      rig.client.request(stream, false, "POST", "/v1/mirror");
      for (int sent = 0; sent < bytes; sent += 4_096) {
        rig.client.data(stream, false, new byte[4_096]).send();
      }
    }
    rig.client.send();
  }

  @Test
  void bodiesThatComeAreHeldInTheMemoryThatTheyTake() {
    UnpooledByteBufAllocator memory = rig.countMemory();
    rig.connectHttp2();
    beginBodies(100, 16_384);
    long kept = memory.metric().usedDirectMemory();
    assertTrue(kept >= 100 * 16_384, kept + " bytes are kept");
    long held = rig.http2.heldBytes();
    assertTrue(held >= kept + 100 * 1024, held + " are held of " + kept + ", and the heads");
    rig.channel.close();
    assertEquals(0, rig.http2.heldBytes());
  }

  @Test
  void connectionKeepsNoMoreBodiesThanItMayHold() {
    UnpooledByteBufAllocator memory = rig.countMemory();
    rig.connectHttp2();
    beginBodies(500, 16_384);
    rig.pass(TimeUnit.SECONDS.toNanos(2));
    long kept = memory.metric().usedDirectMemory();
    assertTrue(kept <= GrpcCalls.MAX_RECEIVED_BYTES + 65_536, kept + " bytes are kept");
    assertTrue(rig.open > 100, rig.open + " requests are left");
  }

  @Test
  void eventLoopKeepsNoMoreBodiesThanItMayWhateverTheNumberOfConnections() {
    rig.connect();
    List<EmbeddedChannel> channels = new ArrayList<>();
    UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
    int refused = 0;
    for (int i = 0; i < 600; i++) {
      EmbeddedChannel channel = new EmbeddedChannel();
      channel.config().setAllocator(memory);
      channels.add(channel);
      EmbeddedClient.connect(rig.loop().clients(), channel, Peer.LOOPBACK);
      channel.writeInbound(
          memory
              .directBuffer()
              .writeBytes(
                  "POST /v1/mirror HTTP/1.1\r\nHost: a\r\nContent-Length: 19000\r\n\r\n"
                      .getBytes(StandardCharsets.US_ASCII))
              .writeZero(18_000));
      rig.channel.runPendingTasks();
      ByteBuf answer = channel.readOutbound();
      if (answer != null) {
        assertTrue(answer.toString(StandardCharsets.US_ASCII).startsWith("HTTP/1.1 503 "));
        answer.release();
        refused++;
      }
    }
    long kept = memory.metric().usedDirectMemory();
    assertTrue(kept <= EndpointOrigin.MAX_HELD_BYTES + 65_536, kept + " bytes are kept");
    assertTrue(refused > 100 && refused < 500, refused + " were refused");
    assertTrue(
        http1("POST /v1/mirror?a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            .startsWith("HTTP/1.1 200 "),
        "a short one is always taken");
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    rig.channel.runPendingTasks();
    assertEquals(0, memory.metric().usedDirectMemory());
  }

  @Test
  void eventLoopCountsHeadsToo() {
    mirror.holds = true;
    rig.connect();
    List<EmbeddedChannel> channels = new ArrayList<>();
    int refused = 0;
    String head =
        "POST /v1/mirror?a HTTP/1.1\r\nHost: a\r\nContent-Length: 19000\r\nx: "
            + "x".repeat(20_000);
    String begun = head + "\r\n\r\n" + "x".repeat(17_000);
    for (int i = 0; i < 600; i++) {
      EmbeddedChannel channel = new EmbeddedChannel();
      channels.add(channel);
      EmbeddedClient.connect(rig.loop().clients(), channel, Peer.LOOPBACK);
      channel.writeInbound(Unpooled.copiedBuffer(begun, StandardCharsets.US_ASCII));
      rig.channel.runPendingTasks();
      ByteBuf answer = channel.readOutbound();
      if (answer != null) {
        assertTrue(answer.toString(StandardCharsets.US_ASCII).startsWith("HTTP/1.1 503 "));
        answer.release();
        refused++;
      }
    }
    int most = EndpointOrigin.MAX_HELD_BYTES / (20_000 + 17_000);
    assertTrue(600 - refused <= most, refused + " were refused");
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    rig.channel.runPendingTasks();
    assertEquals(0, rig.open);
    mirror.holds = false;
    assertTrue(http1(head.replace("19000", "2") + "\r\n\r\nhi").startsWith("HTTP/1.1 200 "));
  }

  @Test
  void whatIsAskedForByGetIsAskedForByHeadToo() {
    rig.close();
    DecisionRig health = new DecisionRig();
    health.with(List.of(), List.of(new HealthEndpoint(() -> true))).connect();
    health.channel.writeInbound(
        Unpooled.copiedBuffer(
            "HEAD /healthcheck HTTP/1.1\r\nHost: a\r\n\r\n"
                + "POST /healthcheck HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
            StandardCharsets.US_ASCII));
    health.channel.runPendingTasks();
    String answers = written(health);
    assertTrue(answers.startsWith("HTTP/1.1 200 OK\r\n"), answers);
    assertTrue(answers.contains("\r\nContent-Length: 2\r\n\r\nHTTP/1.1 405 "), answers);
    assertTrue(answers.contains("\r\nallow: GET, HEAD\r\n"), answers);
    health.close();
  }

  @Test
  void answersRequestsOfHttp1OneBehindTheOther() {
    rig.connect();
    String request =
        "POST /v1/mirror?a=b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
            + "POST /v1/mirror?c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "2\r\nyo\r\n0\r\n\r\n";
    assertEquals(
        "HTTP/1.1 200 OK\r\nx-query: a=b\r\nx-fields: 2\r\nretry-after: 5\r\n"
            + "Content-Length: 5\r\n\r\nhello"
            + "HTTP/1.1 200 OK\r\nx-query: c\r\nx-fields: 2\r\nretry-after: 5\r\n"
            + "Content-Length: 2\r\n\r\nyo",
        http1(request).replaceAll("date: [^\r]+ GMT\r\n", ""));
    assertEquals(List.of("HTTP_CHECK 0", "HTTP_CHECK 0"), rig.ends);
  }

  @Test
  void answersAStreamOfHttp2() {
    rig.connectHttp2();
    rig.client.request(1, false, "POST", "/v1/mirror?q").data(1, true, "body").send();
    assertEquals(
        List.of(
            "HEADERS 1 :status: 200, x-query: q, x-fields: 0, retry-after: 5, content-length: 4",
            "DATA 1 body end"),
        rig.client.received().stream()
            .map(frame -> frame.replaceAll("date: .+ GMT, ", ""))
            .toList());
  }

  @Test
  void saysWhyItAnswersNot() {
    rig.connectHttp2();
    rig.client.request(1, true, "GET", "/v1/mirror").request(3, true, "GET", "/").send();
    List<String> frames = rig.client.received();
    assertTrue(frames.get(0).startsWith("HEADERS 1 :status: 405,"), frames.toString());
    assertTrue(frames.get(0).contains(", allow: POST,"), frames.toString());
    assertTrue(frames.get(2).startsWith("HEADERS 3 :status: 404,"), frames.toString());
    rig.client
        .request(5, false, "POST", "/v1/mirror")
        .data(5, false, "a".repeat(10_000))
        .data(5, false, "a".repeat(10_001))
        .send();
    frames = rig.client.received();
    assertTrue(frames.get(0).startsWith("HEADERS 5 :status: 413,"), frames.toString());
    assertTrue(frames.contains("RST_STREAM 5 NO_ERROR"), frames.toString());
  }

  @Test
  void aRequestThatIsLeftIsWithdrawn() {
    mirror.holds = true;
    rig.connectHttp2();
    rig.client.request(1, true, "POST", "/v1/mirror?1").request(3, true, "POST", "/v1/mirror?3");
    rig.client.send();
    rig.client.received();
    rig.client.reset(1, 8).send();
    assertEquals(1, mirror.cancelled);
    mirror.answer(mirror.held.get(1));
    assertTrue(rig.client.received().get(0).contains("x-query: 3"));
    rig.close();
    assertEquals(1, mirror.cancelled);
  }

  @Test
  void tellsAClientThatWaitsWithItsBodyToSendIt() {
    rig.connect();
    String head = "POST /v1/mirror?a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n";
    assertEquals("HTTP/1.1 100 Continue\r\n\r\n", http1(head + "Expect: 100-continue\r\n\r\n"));
    assertEquals("", http1("bo"));
    String answer = http1("dy");
    assertTrue(answer.startsWith("HTTP/1.1 200 OK\r\n"), answer);
    assertTrue(answer.endsWith("\r\n\r\nbody"), answer);
    answer = http1(head + "Expect: 100-continue\r\n\r\nsoon");
    assertTrue(answer.startsWith("HTTP/1.1 200 OK\r\n"), answer);
  }

  @Test
  void asksForNoBodyThatIsTooLong() {
    rig.connect();
    String head = "POST /v1/mirror?a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n";
    String answer = http1(head + "Content-Length: 20001\r\n\r\n");
    assertTrue(answer.startsWith("HTTP/1.1 413 "), answer);
    assertTrue(answer.contains("\r\nConnection: close\r\n"), answer);
    assertTrue(answer.contains("body: too long (expected: at most 20000 bytes)"), answer);
  }

  @Test
  void asksForNoBodyOfHttp2ThatIsTooLong() {
    rig.connectHttp2();
    String[] lines = {"expect: 100-continue", "content-length: 20001"};
    rig.client.request(1, false, "POST", "/v1/mirror?q", lines);
    lines[1] = "content-length: 20000";
    rig.client.request(3, false, "POST", "/v1/mirror?q", lines).send();
    List<String> frames = rig.client.received();
    assertTrue(frames.get(0).startsWith("HEADERS 1 :status: 413,"), frames.toString());
    assertTrue(frames.contains("HEADERS 3 :status: 100"), frames.toString());
  }

  @Test
  void tellsAClientOfHttp2ToSendItsBody() {
    rig.connectHttp2();
    rig.client.request(1, false, "POST", "/v1/mirror?q", "expect: 100-continue").send();
    assertEquals(List.of("HEADERS 1 :status: 100"), rig.client.received());
    rig.client.data(1, true, "body").send();
    assertTrue(rig.client.received().get(0).startsWith("HEADERS 1 :status: 200, "));
  }

  @Test
  void saysWhenItAnswers() {
    rig.connect();
    String answer = http1("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assertTrue(answer.startsWith("HTTP/1.1 404 Not Found\r\ndate: "), answer);
    String date = answer.substring(answer.indexOf("date: ") + 6).split("\r\n")[0];
    Instant told = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date));
    assertTrue(Duration.between(told, Instant.now()).abs().toMinutes() < 5, date);
  }

  @Test
  void answersHeadWithoutABody() {
    rig.connect();
    assertTrue(http1("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").endsWith("\r\n\r\n"));
  }
}

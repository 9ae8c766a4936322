package dev.weir.proxy.downstream.h1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.HeldLoop;
import dev.weir.proxy.exchange.Origin.Pending;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.RequestEnd;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client's connection of HTTP/1.1, byte by byte, with time, verdicts and service held. */
class Http1ConnectionTest {
  private static final String GET = "GET /%s HTTP/1.1\r\nHost: h\r\n\r\n";
  private static final String POST = "POST /%s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n";
  private static final String CHUNKED =
      "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2";

  private final HeldLoop held = new HeldLoop().connect();

  @AfterEach
  void end() {
    held.close();
    assertEquals(0, held.loop.connectionCount());
  }

  private void send(String text) {
    held.send(text);
  }

  private String got() {
    return got(held);
  }

  /** What a client has got since this was called last. */
  private static String got(HeldLoop held) {
    StringBuilder text = new StringBuilder();
    for (ByteBuf bytes = held.channel.readOutbound();
        bytes != null;
        bytes = held.channel.readOutbound()) {
      text.append(bytes.toString(StandardCharsets.ISO_8859_1));
      bytes.release();
    }
    return text.toString();
  }

  private void answer() {
    held.service.last().answer(OK);
    held.service.last().send("ok", true);
  }

  private static void assertAnswered(int status, String answer) {
    assertTrue(answer.startsWith("HTTP/1.1 " + status + ' '), answer);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void framesAChunkedBodyAnewIfACostIsReadFromItsContent(boolean isRead) {
    ReportedCost cost =
        isRead ? ReportedCost.ofResponseBytes(1) : ReportedCost.ofHeader(FieldName.of("x-cost"));
    held.admission.costs = new ReportedCost[] {cost};
    send(GET.formatted("a") + GET.formatted("b"));
    held.service.last().answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked");
    held.service.last().send(isRead ? "hello" : "5\r\nhello\r\n0\r\nA: b\r\n\r\n", !isRead);
    if (isRead) {
      held.service.last().trailers("A: b\r\n");
    }
    String answer = got();
    assertEquals(1, answer.split("(?i)transfer-encoding: chunked").length - 1, answer);
    assertTrue(answer.endsWith("\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n"), answer);
    answer();
    assertTrue(got().endsWith("\r\n\r\nok"), "the connection goes on");
    assertEquals(
        isRead ? List.of("0 COMPLETE 5", "1 COMPLETE 2") : List.of("0 COMPLETE -", "1 COMPLETE -"),
        held.admission.settled);
  }

  @Test
  void saysThatTheAnswerToHeadWouldBeChunked() {
    held.admission.costs = new ReportedCost[] {ReportedCost.ofResponseBytes(1)};
    send(GET.formatted("a").replace("GET", "HEAD"));
    held.service.last().answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked");
    held.service.last().send("", true);
    String answer = got();
    assertTrue(answer.contains("Transfer-Encoding: chunked\r\n"), answer);
    assertTrue(answer.endsWith("\r\n\r\n"), answer);
    assertEquals(List.of("0 COMPLETE 0"), held.admission.settled);
  }

  @Test
  void countsTheContentOfAChunkedRequestOnceItsVerdictHasCome() {
    held.admission.costs = new ReportedCost[] {ReportedCost.ofRequestBytes(1)};
    held.service.copiesHeads = true;
    for (int i = 0; i < 2; i++) {
      held.admission.late = i == 1;
      send(CHUNKED + "3;a=b\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
      held.admission.decide(0, null);
      assertEquals("abcde", held.service.last().body());
      answer();
    }
    assertEquals(List.of("0 COMPLETE 5", "1 COMPLETE 5"), held.admission.settled);
  }

  @Test
  void answersPipelinedRequestsInOrderAndAsksForOneAtATime() {
    send(GET.formatted("a") + GET.formatted("b") + GET.formatted("c"));
    for (String path : List.of("a", "b", "c")) {
      assertTrue(held.service.last().head().startsWith("GET /" + path + " "));
      assertEquals("", got());
      answer();
      assertTrue(got().endsWith("\r\n\r\nok"));
    }
    assertEquals(3, held.service.calls.size());
    assertEquals(3, held.admission.charged);
  }

  @Test
  void readsAHeadInWhateverPiecesItComes() {
    for (char c : GET.formatted("a").toCharArray()) {
      assertEquals(0, held.service.calls.size());
      send(String.valueOf(c));
    }
    assertEquals(1, held.service.calls.size());
  }

  @Test
  void readsTheNextRequestWithTheEndOfABody() {
    send(POST.formatted("a", 5) + "he");
    assertEquals(0, held.service.calls.size(), "gathered first");
    send("llo" + GET.formatted("b"));
    assertEquals("hello", held.service.last().body());
    assertEquals("end", held.service.last().end);
    answer();
    assertTrue(held.service.last().head().startsWith("GET /b "));
  }

  @Test
  void takesChunksApartForAServiceThatFramesBodiesItself() {
    send(CHUNKED + "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-Sum: 1\r\nHost: evil\r\n\r\n");
    assertEquals("hello world", held.service.last().body());
    assertEquals("X-Sum=1 end", held.service.last().end);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x\r\n", "5\r\nhello0\r\n", "5\nhello\n"})
  void asksNobodyAboutChunksThatAreNone(String chunks) {
    send(CHUNKED + chunks);
    assertAnswered(400, got());
    assertEquals(0, held.admission.asked);
    assertEquals(0, held.service.calls.size());
    assertFalse(held.channel.isOpen());
  }

  @Test
  void keepsTheConnectionAfterARefusalWhoseNextRequestItFinds() {
    held.admission.refusal = RefusalReason.OVER_LIMIT;
    send(POST.formatted("a", 5) + "hello" + GET.formatted("b"));
    String answers = got();
    assertAnswered(429, answers);
    assertEquals(2, answers.split("HTTP/1.1 429 ", -1).length - 1, answers);
    assertTrue(held.channel.isOpen());
    send(POST.formatted("c", 5) + "he");
    assertTrue(got().contains("\r\nConnection: close\r\n"), "the rest may never come");
  }

  @Test
  void holdsTheNextRequestUntilALateVerdict() {
    held.admission.late = true;
    send(GET.formatted("a") + GET.formatted("b"));
    assertEquals(1, held.admission.waiting());
    held.admission.decide(0, RefusalReason.OVER_LIMIT);
    assertAnswered(429, got());
    held.admission.decide(1, null);
    assertTrue(held.service.last().head().startsWith("GET /b "));
  }

  @Test
  void tellsNoServiceOfAClientThatLeftBeforeItsVerdict() {
    held.admission.late = true;
    send(GET.formatted("a"));
    held.channel.close();
    held.admission.decide(0, null);
    assertEquals(0, held.service.calls.size());
    assertEquals(List.of("CLIENT_GONE 0 0 0"), held.admission.ends);
    assertEquals(1, held.admission.charged, "to leave is no way around a limit");
  }

  @Test
  void waitsForAConnectionNoLongerThanTheClient() {
    held.service.pending = Pending.CONNECTING;
    send(GET.formatted("a"));
    assertEquals(1, held.service.waiting());
    held.channel.close();
    assertEquals(0, held.service.waiting());
  }

  @Test
  void cutsAResponseThatBreaksOff() {
    send(GET.formatted("a"));
    held.service.last().answer(OK);
    held.service.last().send("o", false);
    held.service.last().breakOff(RefusalReason.UPSTREAM_CLOSED, RequestEnd.NO_CODE);
    assertFalse(held.channel.isOpen());
    assertEquals(List.of("SERVICE_GONE 200 0 1"), held.admission.ends);
  }

  @Test
  void refusesWhatTheServiceNeverAnswered() {
    send(GET.formatted("a"));
    held.service.last().breakOff(RefusalReason.UPSTREAM_CLOSED, RequestEnd.NO_CODE);
    assertAnswered(502, got());
    assertTrue(held.channel.isOpen());
    send(GET.formatted("b"));
    answer();
    assertAnswered(200, got());
  }

  @Test
  void givesAHeadItsTimeFromItsFirstByte() {
    send("GET / HTTP/1.1\r\n");
    held.pass(HeldLoop.HEAD_NS - 1);
    send("Host: h\r\n");
    assertEquals("", got());
    held.pass(1);
    assertAnswered(408, got());
    assertEquals(0, held.admission.asked);
  }

  @Test
  void closesAConnectionThatIsIdle() {
    send(GET.formatted("a"));
    answer();
    got();
    held.pass(HeldLoop.IDLE_NS - 1);
    assertTrue(held.channel.isOpen());
    held.pass(1);
    assertFalse(held.channel.isOpen());
  }

  /** Were it a head, a 408 would come long before the idle time is over. */
  @ParameterizedTest
  @ValueSource(strings = {"\r\n", "\r"})
  void takesAnEmptyLineBehindABodyForNoHead(String end) {
    for (boolean apart : new boolean[] {false, true}) {
      HeldLoop each = new HeldLoop().connect();
      each.send(POST.formatted("a", 5) + "hello" + (apart ? "" : end));
      each.service.last().answer(OK);
      each.service.last().send("ok", true);
      assertAnswered(200, got(each));
      if (apart) {
        each.send(end);
      }
      each.pass(HeldLoop.IDLE_NS - 1);
      assertTrue(each.channel.isOpen());
      each.pass(1);
      assertEquals("", got(each));
      assertFalse(each.channel.isOpen());
      assertEquals(1, each.admission.asked);
      each.close();
    }
  }

  @Test
  void givesTheRestOfABodyItsTimeAnewWithEachRead() {
    send(POST.formatted("a", 60_000) + "x".repeat(20_000));
    assertEquals(20_000, held.service.last().body().length());
    held.pass(HeldLoop.BODY_NS - 1);
    send("x".repeat(39_999));
    held.pass(HeldLoop.BODY_NS - 1);
    assertEquals("", got());
    held.pass(1);
    assertAnswered(408, got());
    assertEquals("reset TIMED_OUT", held.service.last().end);
  }

  @Test
  void readsNoMoreOfABodyThanTheServiceTakes() {
    held.service.room = 20_000;
    send(POST.formatted("a", 100_000) + "x".repeat(30_000));
    assertEquals(10_000, held.service.last().held);
    assertFalse(held.channel.config().isAutoRead());
    held.service.last().consume();
    assertTrue(held.channel.config().isAutoRead());
  }

  @Test
  void answersAClientThatHasEndedItsSide() {
    send(GET.formatted("a"));
    held.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    answer();
    assertAnswered(200, got());
    assertFalse(held.channel.isOpen());
  }

  @Test
  void saysTheServicesContinueAndForwardsTheBodyThen() {
    send(POST.formatted("a", 5).replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"));
    assertTrue(held.service.last().head().contains("\r\nExpect: 100-continue\r\n"));
    held.service.last().answer("HTTP/1.1 100 Continue");
    held.channel.flushOutbound();
    assertTrue(got().startsWith("HTTP/1.1 100 "));
    send("hello");
    assertEquals("hello", held.service.last().body());
  }

  /** What it has waited for that is no part of it. */
  @Test
  void givesABodyItsTimeFromTheServicesContinueOn() {
    send(POST.formatted("a", 5).replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"));
    held.pass(HeldLoop.BODY_NS - 1);
    held.service.last().answer("HTTP/1.1 100 Continue");
    held.channel.flushOutbound();
    assertAnswered(100, got());
    held.pass(HeldLoop.BODY_NS - 1);
    assertEquals("", got());
    held.pass(1);
    assertAnswered(408, got());
  }

  /** With what it is sent, just when it is told to continue. */
  private void fallBehindWithAContinue() {
    held.service.isScarce = true;
    held.channel.pipeline().addFirst(new FallsBehind());
    send(POST.formatted("a", 50_000).replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"));
    assertAnswered(100, got());
    assertFalse(held.channel.isWritable());
    assertEquals(0, held.service.calls.size());
  }

  private static final class FallsBehind extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      ctx.write(message, promise);
      ctx.channel().unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    }
  }

  @Test
  void endsABodyThatStopsThoughItsClientIsBehindWithAContinue() {
    fallBehindWithAContinue();
    send("x".repeat(20_000)); // enough for a connection
    assertEquals(20_000, held.service.last().body().length());
    held.pass(HeldLoop.BODY_NS);
    assertAnswered(408, got());
  }

  @Test
  void chunksAResponseWhoseLengthNobodyKnows() {
    send(GET.formatted("a"));
    held.service.last().answer("HTTP/1.1 200 OK");
    held.service.last().send("hello", false);
    held.service.last().send("", true);
    String answer = got();
    assertTrue(answer.contains("\r\nTransfer-Encoding: chunked\r\n"), answer);
    assertTrue(answer.endsWith("\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), answer);
  }

  @Test
  void writesAChunkWithItsEndThoughTheClientSendsInTheSameTurn() {
    held.service.multiplexes = true;
    send(POST.formatted("a", 5) + "he");
    held.service.last().answer("HTTP/1.1 200 OK");
    held.service.last().endTurn();
    assertAnswered(200, got());
    List<Long> writes = new ArrayList<>();
    held.channel
        .pipeline()
        .addFirst(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void flush(ChannelHandlerContext ctx) {
                long bytes = held.channel.unsafe().outboundBuffer().totalPendingWriteBytes();
                if (bytes > 0) {
                  writes.add(bytes);
                }
                ctx.flush();
              }
            });
    held.service.last().send("hello", false);
    send("llo");
    held.service.last().endTurn();
    assertEquals("hello", held.service.last().body());
    assertEquals("5\r\nhello\r\n", got());
    assertEquals(1, writes.size(), () -> "writes of these many bytes: " + writes);
    held.service.last().send("", true);
    assertEquals("0\r\n\r\n", got());
  }
}

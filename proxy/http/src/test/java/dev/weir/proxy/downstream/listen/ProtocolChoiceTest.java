package dev.weir.proxy.downstream.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.ClientCaps;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.ClientSettings;
import dev.weir.proxy.downstream.ClientTimeouts;
import dev.weir.proxy.downstream.HeldService;
import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.downstream.answer.AnswerSettings;
import dev.weir.proxy.downstream.h1.ConnectionEnd;
import dev.weir.proxy.downstream.h1.Http1Connection;
import dev.weir.proxy.downstream.h1.Http1Memory;
import dev.weir.proxy.downstream.h2.StreamRouter;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.loop.HeldTime;
import dev.weir.proxy.loop.TurnEnd;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Peer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProtocolChoiceTest {
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(60);
  private static final long HEAD_NS = TimeUnit.SECONDS.toNanos(10);

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final HeldTime time = new HeldTime(channel);
  private final ClientLoop loop =
      new ClientLoop(
          new ClientSettings(
              List.of(ListenerSettings.plain(new InetSocketAddress(0))),
              new ClientTimeouts(HEAD_NS, 1, IDLE_NS, 1, 1),
              new ClientCaps(32 * 1024, 100, 8 * 1024, 1, 1),
              new AnswerSettings(true, true)),
          time.clock,
          time.deadlines,
          new ClientShares(64 << 20),
          null,
          new HeldService(),
          null,
          new Metrics().newLoop());

  private final ClientProtocols protocols =
      new ClientProtocols(
          loop,
          new Http1Memory(time.clock, 32 << 20),
          new Http2Loop(
              time.clock,
              time.deadlines,
              new TurnEnd(channel.eventLoop()),
              32 << 20,
              32 * 1024,
              100),
          null,
          StreamRouter.REQUESTS_ONLY);

  @BeforeEach
  void connect() {
    channel
        .pipeline()
        .addLast(new ProtocolChoice(protocols, channel, Peer.LOOPBACK, loop.memory.of(null)));
    channel.pipeline().fireChannelActive();
  }

  @AfterEach
  void disconnect() {
    channel.finishAndReleaseAll();
    assertEquals(0, loop.connectionCount());
  }

  @Test
  void isHttp1FromTheFirstByteThatDiffers() {
    send("G");
    assertIsHttp1();
    assertEquals(1, loop.connectionCount());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 14, 16, 23})
  void isHttp1HoweverMuchOfThePrefaceCameBefore(int prefaceBytes) {
    send(PREFACE.substring(0, prefaceBytes));
    assertInstanceOf(ProtocolChoice.class, channel.pipeline().last());
    send("\t");
    assertTrue(answer().startsWith("HTTP/1.1 "), "the bytes that came before are the request's");
  }

  @Test
  void answersHalfAPrefaceAndThenSilenceInTheTimeOfAHead() {
    time.pass(IDLE_NS - HEAD_NS);
    send("PO");
    assertIsHttp1();
    time.pass(HEAD_NS);
    assertTrue(answer().startsWith("HTTP/1.1 408 "));
  }

  @Test
  void givesAHeadThatBeginsLikeThePrefaceNoMoreTimeThanAnyOther() {
    send("P");
    time.pass(HEAD_NS - TimeUnit.SECONDS.toNanos(1));
    send("OST /");
    assertEquals("", answer());
    time.pass(TimeUnit.SECONDS.toNanos(1));
    assertTrue(answer().startsWith("HTTP/1.1 408 "));
  }

  @Test
  void answersBytesThatEndWithinThePreface() {
    send("PRI");
    channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    assertTrue(answer().startsWith("HTTP/1.1 400 "));
  }

  @Test
  void closesAConnectionThatSaysNothing() {
    time.pass(IDLE_NS);
    assertFalse(channel.isOpen());
  }

  @Test
  void closesAConnectionThatSaysNothingInADrain() {
    loop.drain();
    channel.runPendingTasks();
    time.pass(ConnectionEnd.LINGER_NS);
    assertFalse(channel.isOpen());
  }

  @Test
  void leaksNothingOfAClientThatLeavesWithinThePreface() {
    send("PRI * ");
    channel.close();
    assertEquals(0, loop.connectionCount());
  }

  private void assertIsHttp1() {
    assertInstanceOf(Http1Connection.class, channel.pipeline().last());
    assertEquals(channel.pipeline().firstContext(), channel.pipeline().lastContext());
  }

  private void send(String bytes) {
    ByteBuf buffer = channel.alloc().directBuffer();
    channel.writeInbound(buffer.writeBytes(Unpooled.copiedBuffer(bytes, StandardCharsets.UTF_8)));
  }

  private String answer() {
    StringBuilder text = new StringBuilder();
    for (Object out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      ByteBuf bytes = (ByteBuf) out;
      text.append(bytes.toString(StandardCharsets.ISO_8859_1));
      bytes.release();
    }
    return text.toString();
  }
}

package dev.weir.proxy.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class Http2ConnectionTest {
  private static final String HEAD = ":method: POST, :scheme: http, :path: /a, :authority: test";

  private final WatchedStreams server = WatchedStreams.open(Role.SERVER);
  private final FramePeer client = server.peer();

  @AfterEach
  void end() {
    server.embedded().finishAndReleaseAll();
    assertEquals(0, server.connection.heldBytes());
  }

  private void start() {
    client.startAsClient().send();
    assertEquals(
        List.of("SETTINGS 3=100 6=32768", "WINDOW_UPDATE 0 1073676289", "SETTINGS ack"),
        client.received());
  }

  @Test
  void aRequestIsAnsweredInItsTurn() {
    start();
    client.request(1, false, "POST", "/a", "x: y").data(1, true, "hello").send();
    assertEquals(List.of("head 1 " + HEAD + ", x: y", "data 1 hello end"), server.told());
    server.head(1, false, ":status: 200");
    server.data(1, false, "world");
    server.trailers(1, "grpc-status: 0");
    server.letGo(1);
    assertEquals(
        List.of("HEADERS 1 :status: 200", "DATA 1 world", "HEADERS 1 grpc-status: 0 end"),
        client.received());
    assertEquals(0, server.connection.streamCount());
  }

  @Test
  void aRequestThatIsAnsweredEarlyIsResetWithoutAnErrorWhenTheTurnEnds() {
    start();
    server.within =
        () -> {
          server.within = () -> {};
          server.head(1, true, ":status: 429");
          server.letGo(1);
        };
    client.request(1, false, "POST", "/a").send();
    assertEquals(List.of("HEADERS 1 :status: 429 end", "RST_STREAM 1 NO_ERROR"), client.received());
    client.data(1, true, "late").send();
    assertEquals(List.of(), client.received());
    assertEquals(0, server.connection.streamCount());
    server.within =
        () -> {
          server.within = () -> {};
          server.head(3, true, ":status: 429");
          server.letGo(3);
        };
    client.request(3, false, "POST", "/a").data(3, true, "in the same turn").send();
    assertEquals(List.of("HEADERS 3 :status: 429 end"), client.received());
    assertEquals(0, server.connection.streamCount());
  }

  @Test
  void contentWaitsForItsWindowAndTrailersBehindIt() {
    start();
    client.settings(Setting.INITIAL_WINDOW_SIZE, 3).request(1, true, "GET", "/").send();
    client.received();
    server.told();
    server.head(1, false, ":status: 200");
    assertEquals(5, server.data(1, false, "abcdefgh"));
    server.trailers(1, "a: b");
    assertEquals(List.of("HEADERS 1 :status: 200", "DATA 1 abc"), client.received());
    client.windowUpdate(1, 4).send();
    assertEquals(List.of("DATA 1 defg"), client.received());
    assertEquals(List.of("sent 1 4"), server.told());
    client.settings(Setting.INITIAL_WINDOW_SIZE, 0).windowUpdate(1, 3).send();
    assertEquals(List.of("SETTINGS ack"), client.received());
    client.windowUpdate(1, 1).send();
    assertEquals(List.of("DATA 1 h", "HEADERS 1 a: b end"), client.received());
    server.letGo(1);
    assertEquals(0, server.connection.streamCount());
    assertEquals(0, server.connection.heldBytes());
  }

  @Test
  void aStreamWithoutAWindowHoldsUpNoOther() {
    start();
    client.settings(Setting.INITIAL_WINDOW_SIZE, 1000);
    client.request(1, true, "GET", "/a").request(3, true, "GET", "/a").send();
    server.head(1, false, ":status: 200");
    server.head(3, false, ":status: 200");
    assertEquals(10, server.data(1, true, "x".repeat(1010)));
    assertEquals(0, server.data(3, true, "y"), "is sent in the same turn, at once");
    server.letGo(1);
    server.letGo(3);
  }

  @Test
  void windowsOpenAgainForWhatIsConsumedWithItsPadding() {
    start();
    server.holds = true;
    client.request(1, false, "POST", "/a").send();
    for (int i = 0; i < 4; i++) {
      client.padded(1, false, "x".repeat(8_000), 255);
    }
    client.send();
    assertEquals(List.of(), client.received());
    assertEquals(32_000, server.connection.heldBytes());
    server.connection.credit(server.slot(1), 32_000);
    assertEquals(List.of("WINDOW_UPDATE 1 33024", "PING " + WindowGrowth.PING), client.received());
    assertEquals(0, server.connection.heldBytes());
  }

  @Test
  void noMoreIsReadInATurnThanOthersCanWaitFor() {
    start();
    client.request(1, false, "POST", "/a").send();
    server.embedded().pipeline().fireChannelRead(content(4));
    assertTrue(server.embedded().config().isAutoRead(), "less than 64 KiB in this turn");
    server.embedded().pipeline().fireChannelRead(content(1));
    assertFalse(server.embedded().config().isAutoRead(), "more than 64 KiB in this turn");
    client.received();
    assertTrue(server.embedded().config().isAutoRead(), "the turn has ended");
    assertEquals(5, server.told().size() - 1);
  }

  /** Frames of 16,000 bytes of stream 1. */
  private static ByteBuf content(int frames) {
    final ByteBuf content = Unpooled.buffer();
    for (int i = 0; i < frames; i++) {
      content.writeMedium(16_000).writeByte(FrameType.DATA).writeByte(0).writeInt(1);
      content.writeZero(16_000);
    }
    return content;
  }

  @Test
  void bothRolesSpeakToEachOther() {
    final WatchedStreams us = WatchedStreams.open(Role.CLIENT);
    final FramePeer service = us.peer();
    assertEquals(
        List.of("preface", "SETTINGS 2=0 6=32768", "WINDOW_UPDATE 0 1073676289"),
        service.received());
    assertEquals(1, us.request(false));
    assertTrue(!us.connection.hasRoom(), "one stream until the settings have come");
    service.startAsServer().send();
    assertEquals(3, us.request(true));
    us.data(1, true, "body");
    assertEquals(
        List.of(
            "HEADERS 1 :method: GET, :scheme: http, :path: /, :authority: x",
            "SETTINGS ack",
            "HEADERS 3 :method: GET, :scheme: http, :path: /, :authority: x end",
            "DATA 1 body end"),
        service.received());
    service
        .headers(1, false, ":status: 103")
        .headers(1, false, ":status: 200")
        .data(1, false, "answer")
        .headers(1, true, "a: b")
        .send();
    assertEquals(
        List.of("head 1 :status: 103", "head 1 :status: 200", "data 1 answer", "trailers 1 a: b"),
        us.told());
    service.goAway(1, ErrorCode.NO_ERROR).send();
    assertEquals(List.of("ended 3 UNPROCESSED REFUSED_STREAM", "goaway NO_ERROR"), us.told());
    us.letGo(1);
    us.letGo(3);
    us.embedded().runPendingTasks();
    assertTrue(!us.embedded().isOpen());
    us.embedded().finishAndReleaseAll();
  }
}

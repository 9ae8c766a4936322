package dev.weir.proxy.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.loop.InternalErrors;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of streams when their connection ends, in whatever state they are. */
class LostConnectionTest {
  @Test
  void noStreamIsOpenedOnAConnectionThatWasClosed() {
    assertNoRoomAtTheEnd(false);
  }

  @Test
  void noStreamIsOpenedOnAConnectionThatEndsWithAnError() {
    assertNoRoomAtTheEnd(true);
  }

  private static void assertNoRoomAtTheEnd(boolean withError) {
    final WatchedStreams us = WatchedStreams.open(Role.CLIENT);
    final FramePeer service = us.peer();
    final List<Boolean> rooms = new ArrayList<>();
    service.startAsServer().send();
    us.request(true);
    us.request(true);
    us.within = () -> rooms.add(us.connection.hasRoom());
    if (withError) {
      service.frame(FrameType.PUSH_PROMISE, 0, 1, (byte) 0).send();
    } else {
      us.embedded().close();
    }
    us.embedded().runPendingTasks();
    assertEquals(List.of(false, false), rooms.subList(0, 2));
    assertNothingIsLeft(us);
  }

  @Test
  void nothingIsLeftOfAStreamThatWaitsForTheConnectionsWindow() {
    final WatchedStreams server = WatchedStreams.open(Role.SERVER);
    final FramePeer client = server.peer();
    client.startAsClient().request(1, true, "GET", "/").request(3, true, "GET", "/").send();
    client.windowUpdate(1, 1000).windowUpdate(3, 1000).send();
    server.head(1, false, ":status: 200");
    server.data(1, true, "x".repeat(Setting.DEFAULT_WINDOW_BYTES + 500));
    server.letGo(1);
    server.head(3, false, ":status: 200");
    server.data(3, true, "y");
    client.received();
    server.embedded().close();
    server.embedded().runPendingTasks();
    server.letGo(3);
    assertNothingIsLeft(server);
  }

  /** A stream that still stands in the ring would be freed a second time. */
  @Test
  void noStreamSendsOnceAnotherHasSeenTheConnectionEnd() {
    final SlowChannel channel = new SlowChannel();
    final WatchedStreams server = WatchedStreams.open(Role.SERVER, channel);
    final FramePeer client = server.peer();
    client.startAsClient().request(1, true, "GET", "/").request(3, true, "GET", "/").send();
    client.windowUpdate(1, 1000).windowUpdate(3, 1000).send();
    server.head(1, false, ":status: 200");
    server.data(1, true, "x".repeat(Setting.DEFAULT_WINDOW_BYTES + 500));
    server.head(3, false, ":status: 200");
    server.data(3, true, "y");
    client.received();
    server.told();
    server.within =
        () -> {
          server.within = () -> {};
          channel.takes = false; // so that it is not closed yet
          server.connection.handler.fail(
              ErrorCode.INTERNAL_ERROR, "it ends while its streams send");
          server.letGoOfAll();
        };
    final long errors = InternalErrors.count();
    client.windowUpdate(0, 1000).send();
    assertEquals(0, InternalErrors.count() - errors);
    assertEquals("sent 1 500", server.told().get(0));
    channel.takes = true;
    assertNothingIsLeft(server);
  }

  @Test
  void nothingIsLeftOfAStreamThatWasAnsweredInTheConnectionsLastTurn() {
    final WatchedStreams server = WatchedStreams.open(Role.SERVER);
    final FramePeer client = server.peer();
    client.startAsClient().send();
    server.within =
        () -> {
          server.within = () -> {};
          server.head(1, true, ":status: 429");
          server.letGo(1);
        };
    client.request(1, false, "POST", "/").frame(FrameType.PUSH_PROMISE, 0, 1, (byte) 0).send();
    server.embedded().runPendingTasks();
    assertNothingIsLeft(server);
  }

  private static void assertNothingIsLeft(WatchedStreams watched) {
    watched.within = () -> {};
    watched.embedded().finishAndReleaseAll();
    watched.letGoOfAll();
    assertEquals(0, watched.connection.streamCount());
    assertEquals(0, watched.counted.openStreams);
    assertEquals(0, watched.counted.openConnections);
    assertEquals(0, watched.connection.heldBytes());
  }
}

package dev.weir.proxy.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an event loop holds for clients of which each opens streams, and then says nothing. */
class LoopBoundTest {
  private static final int OTHERS = 1000;
  private static final int BYTES = 40_000;

  private final WatchedStreams server = WatchedStreams.open(Role.SERVER);
  private final FramePeer client = server.peer();

  @AfterEach
  void end() {
    server.embedded().finishAndReleaseAll();
    assertEquals(0, server.connection.heldBytes());
    assertEquals(0, server.connection.streamCount());
  }

  /** Has the loop hold as much for each of the others, and two answers wait. */
  private void answerBesideOthers(int bytesOfEach) {
    for (int i = 0; i < OTHERS; i++) {
      server.connection.loop.clientConnected();
    }
    server.connection.loop.hold(Role.SERVER, (long) OTHERS * bytesOfEach);
    client.startAsClient().settings(Setting.INITIAL_WINDOW_SIZE, 0);
    client.request(1, true, "GET", "/").request(3, true, "GET", "/").send();
    client.received();
    for (int id = 1; id <= 3; id += 2) {
      server.head(id, false, ":status: 200");
      server.data(id, true, "x".repeat(BYTES / 2));
      server.letGo(id);
    }
  }

  @Test
  void clientsThatHoldAsMuchAsEachOtherLoseWhatIsMoreThanTheirShare() {
    answerBesideOthers(BYTES);
    assertEquals(List.of("HEADERS 1 :status: 200", "HEADERS 3 :status: 200"), client.received());
    server.pass(900);
    assertEquals(List.of(), client.received());
    server.pass(200);
    assertEquals(List.of("RST_STREAM 1 CANCEL"), client.received());
    assertTrue(server.embedded().config().isAutoRead());
  }

  /** It is by reading that its windows open. */
  @Test
  void isReadOnThoughOthersHoldTooMuchAndItsAnswersWait() {
    answerBesideOthers(BYTES);
    client.received();
    assertTrue(server.embedded().config().isAutoRead());
    server.pass(900);
    client.windowUpdate(1, BYTES).windowUpdate(3, BYTES).send();
    server.pass(1_000);
    assertEquals(2, client.received().stream().filter(f -> f.endsWith(" end")).count());
  }

  @Test
  void theyLoseItAtOnceBeyondTwiceOfWhatMayBeHeld() {
    answerBesideOthers(2 * BYTES);
    assertEquals(
        List.of("HEADERS 1 :status: 200", "HEADERS 3 :status: 200", "RST_STREAM 1 CANCEL"),
        client.received());
  }

  /** What waits is memory, not only the bytes in it. */
  @Test
  void whatWaitsIsCountedByTheMemoryThatItTakes() {
    client.startAsClient().settings(Setting.INITIAL_WINDOW_SIZE, 0);
    client.request(1, true, "GET", "/").request(3, true, "GET", "/").send();
    for (int id = 1; id <= 3; id += 2) {
      server.head(id, false, ":status: 200");
      server.data(id, id == 3, "x".repeat(100));
      server.letGo(id);
    }
    final int more =
        server.connection.streams.waiting[server.connection.streams.find(1)].capacity();
    final int last =
        server.connection.streams.waiting[server.connection.streams.find(3)].capacity();
    assertEquals(more + last, server.connection.heldBytes());
    assertTrue(last < 256, last + " bytes for the last 100");
    client.windowUpdate(1, 99).windowUpdate(3, 100).send();
    assertEquals(more, server.connection.heldBytes());
    client.reset(1, ErrorCode.CANCEL).send();
    assertEquals(0, server.connection.heldBytes());
  }

  /** An answer that comes in pieces, each for a window that is never more than W. */
  @Test
  void whatWaitsOfAWindowTakesNoMoreMemoryThanThat() {
    client.startAsClient().settings(Setting.INITIAL_WINDOW_SIZE, 0);
    client.request(1, true, "GET", "/").send();
    server.head(1, false, ":status: 200");
    for (int i = 0; i < 60; i++) {
      server.data(1, false, "x".repeat(1_000));
    }
    assertTrue(
        server.connection.heldBytes() <= 1 << 16,
        server.connection.heldBytes() + " bytes for 60,000");
    server.letGo(1);
    client.reset(1, ErrorCode.CANCEL).send();
  }

  @Test
  void whatIsHeldOnItsWayFromOneConnectionToAnotherIsCountedOnce() {
    client.startAsClient().request(1, false, "POST", "/").data(1, false, "x".repeat(9_000));
    server.holds = true;
    client.send();
    server.connection.loop.hold(Role.CLIENT, 9_000); // waits there, where it is to go
    assertEquals(9_000, server.connection.loop.heldBytes());
    server.connection.loop.hold(Role.CLIENT, -9_000);
    server.letGo(1);
    client.reset(1, ErrorCode.CANCEL).send();
    assertEquals(0, server.connection.loop.heldBytes());
  }

  /** A user that lets go of what it was told the end of, but not at once. */
  @Test
  void aStreamWhoseUserKeepsWhatItHoldsIsEndedOnce() {
    client.startAsClient();
    server.holds = true;
    int last = 1;
    for (int id = 1; last == id; id += 2) {
      client.request(id, false, "POST", "/").data(id, false, new byte[16_000]);
      for (int i = 0; i < 3; i++) {
        client.data(id, false, new byte[16_000]);
      }
      client.send();
      last = server.connection.heldBytes() <= Http2Connection.MAX_RECEIVED_BYTES ? id + 2 : id;
    }
    client.received();
    server.told();
    assertTimeoutPreemptively(Duration.ofSeconds(30), () -> server.pass(1_000));
    int streams = (last + 1) / 2;
    assertEquals(streams, client.received().stream().filter(f -> f.startsWith("RST_")).count());
    assertEquals(streams, server.told().size());
    server.letGoOfAll();
    assertTrue(server.embedded().config().isAutoRead());
  }

  @Test
  void theyLoseNothingWhileTheLoopHoldsNoMoreThanItMay() {
    answerBesideOthers(BYTES / 2);
    server.pass(2_000);
    assertEquals(List.of("HEADERS 1 :status: 200", "HEADERS 3 :status: 200"), client.received());
    client.windowUpdate(1, BYTES).windowUpdate(3, BYTES).send();
    assertEquals(4, client.received().size());
  }
}

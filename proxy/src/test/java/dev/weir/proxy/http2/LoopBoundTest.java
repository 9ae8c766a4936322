package dev.weir.proxy.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LeakRecorder;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
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
    assertEquals(0, server.heldBytes());
    assertEquals(0, server.streamCount());
  }

  @AfterAll
  static void findNoLeak() throws InterruptedException {
    LeakRecorder.assertNone();
  }

  /** Has the loop hold as much for each of the others, and two answers wait. */
  private void answerBesideOthers(int bytesOfEach) {
    for (int i = 0; i < OTHERS; i++) {
      server.loop.clientConnected();
    }
    server.loop.hold((long) OTHERS * bytesOfEach);
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

  @Test
  void theyLoseItAtOnceBeyondTwiceOfWhatMayBeHeld() {
    answerBesideOthers(2 * BYTES);
    assertEquals(
        List.of("HEADERS 1 :status: 200", "HEADERS 3 :status: 200", "RST_STREAM 1 CANCEL"),
        client.received());
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

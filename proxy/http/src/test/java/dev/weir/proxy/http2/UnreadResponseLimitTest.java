package dev.weir.proxy.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a service may send while its event loop holds much that clients do not take. */
class UnreadResponseLimitTest {
  private static final int HALF = WatchedStreams.MAX_HELD_BYTES / 2;
  private static final String NARROW = "SETTINGS 4=" + ReceiveWindows.NARROW_BYTES;
  private static final String WIDE = "SETTINGS 4=" + Http2Connection.WINDOW_BYTES;

  private final WatchedStreams us = WatchedStreams.open(Role.CLIENT);
  private final FramePeer service = us.peer();
  private int held;

  @BeforeEach
  void connect() {
    service.startAsServer().send();
    us.holds = true;
    service.received();
  }

  @AfterEach
  void end() {
    us.connection.loop.hold(Role.CLIENT, -held);
    us.embedded().finishAndReleaseAll();
    us.letGoOfAll();
    assertEquals(0, us.connection.heldBytes());
    assertEquals(0, us.connection.loop.heldBytes());
    assertEquals(0, us.connection.streamCount());
  }

  /** Other connections hold so much more. */
  private void hold(int bytes) {
    held += bytes;
    us.connection.loop.hold(Role.CLIENT, bytes);
    us.pass(0);
  }

  /** The service answers a request, and sends so much. */
  private int answer(int bytes) {
    int id = us.request(true);
    service.headers(id, false, ":status: 200");
    send(id, bytes);
    return id;
  }

  private void send(int id, int bytes) {
    for (int left = bytes; left > 0; left -= 16_384) {
      service.data(id, false, new byte[Math.min(left, 16_384)]);
    }
    service.send();
    us.pass(0);
  }

  private List<String> received() {
    return service.received().stream().filter(frame -> !frame.startsWith("HEADERS")).toList();
  }

  @Test
  void servicesSendLessAtOnceFromHalfOfWhatMayBeHeld() {
    hold(HALF);
    assertEquals(List.of(), received());
    hold(1);
    assertEquals(List.of(NARROW), received());
    service.settingsAck().send();
    hold(-HALF / 2);
    us.pass(1_000);
    assertEquals(List.of(), received(), "not while it is near to a half");
    hold(-2);
    assertEquals(List.of(WIDE), received());
  }

  @Test
  void windowsChangeOnceASecondAtMost() {
    hold(HALF + 1);
    service.settingsAck().send();
    assertEquals(List.of(NARROW), received());
    hold(-HALF);
    us.pass(900);
    send(answer(10), 10);
    assertEquals(List.of(), received());
    us.pass(100);
    answer(10);
    assertEquals(List.of(WIDE), received());
  }

  @Test
  void aServiceMaySendAsBeforeUntilItHasAcknowledged() {
    int id = answer(60_000);
    hold(HALF + 1);
    assertEquals(List.of(NARROW), received());
    send(id, 5_000);
    service.settingsAck().send();
    assertEquals(List.of(), received());
    us.connection.credit(us.slot(id), 40_000);
    us.pass(0);
    assertEquals(List.of("WINDOW_UPDATE " + id + " 40000"), received());
    send(id, 65_535 - 65_000 - 49_151 + 40_000); // what it may by now, below nothing before
    service.data(id, false, "x").send();
    us.pass(0);
    assertEquals(List.of("RST_STREAM " + id + " FLOW_CONTROL_ERROR"), received());
  }

  @Test
  void whatIsHalfOfANarrowWindowIsGivenBackWhenItIsAcknowledged() {
    us.holds = false;
    int id = answer(20_000);
    hold(HALF + 1);
    assertEquals(List.of(NARROW), received());
    service.settingsAck().send();
    us.pass(0);
    assertEquals(List.of("WINDOW_UPDATE " + id + " 20000"), received());
    send(id, 8_193);
    assertEquals(List.of("WINDOW_UPDATE " + id + " 8193"), received());
  }

  @Test
  void streamsThatAreOpenedLaterBeginWithNarrowWindows() {
    hold(HALF + 1);
    service.settingsAck().send();
    int id = answer(ReceiveWindows.NARROW_BYTES);
    assertEquals(List.of(NARROW), received());
    service.data(id, false, "x").send();
    us.pass(0);
    assertEquals(List.of("RST_STREAM " + id + " FLOW_CONTROL_ERROR"), received());
  }

  @Test
  void beyondAllThatMayBeHeldStreamsEndOfWhichNothingIsTakenForASecond() {
    int first = answer(10_000);
    int second = answer(10_000);
    hold(2 * HALF - 15_000);
    service.settingsAck().send();
    us.pass(500);
    us.connection.credit(us.slot(first), 10);
    answer(10_000);
    received();
    us.told();
    List<String> ended = new ArrayList<>();
    us.within =
        () -> {
          ended.addAll(us.told());
          us.letGo(Integer.parseInt(ended.get(ended.size() - 1).split(" ")[1]));
        };
    us.pass(500);
    assertEquals(List.of("RST_STREAM " + second + " CANCEL"), received());
    us.pass(1_000);
    assertEquals(List.of("RST_STREAM " + first + " CANCEL"), received());
    us.pass(10_000);
    assertEquals(List.of(), received(), "no more is held than may be");
    us.within = () -> {};
    assertEquals(
        List.of("ended " + second + " UNTAKEN CANCEL", "ended " + first + " UNTAKEN CANCEL"),
        ended);
    assertTrue(us.embedded().config().isAutoRead());
  }
}

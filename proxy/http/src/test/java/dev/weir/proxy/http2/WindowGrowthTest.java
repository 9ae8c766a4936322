package dev.weir.proxy.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Windows of streams that are sent over a long way: what is told is heard a round trip later. */
class WindowGrowthTest {
  private static final int WINDOW_BYTES = Http2Connection.WINDOW_BYTES;
  private static final int MAX_BYTES = WindowGrowth.MAX_BYTES;
  private static final long RTT_MS = 50;
  private static final int ALL = Integer.MAX_VALUE;

  private WatchedStreams us = WatchedStreams.open(Role.SERVER);
  private FramePeer peer = us.peer();

  /** What the peer may send on each stream, as far as it has heard. */
  private final Map<Integer, Integer> windows = new TreeMap<>();

  private final List<Long> pings = new ArrayList<>();
  private int pingCount;
  private int updateCount;
  private int nextId = 1;

  WindowGrowthTest() {
    peer.startAsClient().send();
    hear();
  }

  @AfterEach
  void end() {
    us.embedded().finishAndReleaseAll();
    us.letGoOfAll();
    assertEquals(0, us.connection.heldBytes());
    assertEquals(0, us.connection.windows.growth().extraBytes());
    assertTrue(
        us.connection.loop.mayWiden(us.connection.role, 0, WatchedStreams.MAX_HELD_BYTES / 16));
    assertFalse(
        us.connection.loop.mayWiden(us.connection.role, 0, WatchedStreams.MAX_HELD_BYTES / 16 + 1));
  }

  /** Has a service at the other end, of which something is asked. */
  private int askService() {
    us.embedded().finishAndReleaseAll();
    us = WatchedStreams.open(Role.CLIENT);
    peer = us.peer();
    peer.startAsServer().send();
    int id = us.request(true);
    peer.headers(id, false, ":status: 200").send();
    hear();
    windows.put(id, WINDOW_BYTES);
    return id;
  }

  /** A client begins to send. */
  private int upload(String... lines) {
    int id = nextId;
    nextId += 2;
    peer.request(id, false, "POST", "/", lines).send();
    hear();
    windows.put(id, WINDOW_BYTES);
    return id;
  }

  /** The peer hears what it was told, answers pings, and sends so much of each stream. */
  private void roundTrip(long ms, int mostBytes) {
    us.pass(ms);
    pings.forEach(peer::pingAck);
    pings.clear();
    for (int id : windows.keySet()) {
      send(id, mostBytes);
    }
    hear();
  }

  private void send(int id, int mostBytes) {
    int bytes = Math.min(mostBytes, windows.get(id));
    windows.merge(id, -bytes, Integer::sum);
    for (int left = bytes; left > 0; left -= 16_384) {
      peer.data(id, false, new byte[Math.min(left, 16_384)]);
    }
    peer.send();
    us.told();
  }

  private void hear() {
    for (String frame : peer.received()) {
      String[] words = frame.split(" ");
      if (words[0].equals("WINDOW_UPDATE") && !words[1].equals("0")) {
        windows.merge(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer::sum);
        updateCount++;
      } else if (words[0].equals("PING")) {
        pings.add(Long.parseLong(words[1]));
        pingCount++;
      } else {
        assertFalse(frame.startsWith("RST"), frame);
      }
    }
    us.told();
    assertTrue(pings.size() <= 1, "one at a time: " + pings);
  }

  private int extraBytes(int id) {
    return us.connection.streams.extraBytes[us.slot(id)];
  }

  private void grow() {
    for (int i = 0; i < 10; i++) {
      roundTrip(RTT_MS, ALL);
    }
  }

  @ParameterizedTest
  @EnumSource(Role.class)
  void tenMegabytesTakeTwoDozenRoundTripsAndNotAHundredAndSixty(Role role) {
    int id = role == Role.SERVER ? upload() : askService();
    int roundTrips = 0;
    for (long sent = 0; sent < 10_000_000; roundTrips++) {
      sent += windows.get(id);
      roundTrip(RTT_MS, ALL);
    }
    assertTrue(roundTrips <= 24, roundTrips + " round trips");
    assertEquals(MAX_BYTES - WINDOW_BYTES, extraBytes(id));
    assertTrue(pingCount <= 6, pingCount + " pings");
    assertTrue(updateCount <= 30, updateCount + " updates");
  }

  @Test
  void aPeerThatDoesNotWaitGetsNoWiderWindowAndAPingASecond() {
    int id = upload();
    for (int i = 0; i < 200; i++) {
      roundTrip(RTT_MS, 20_000);
    }
    assertEquals(0, extraBytes(id));
    assertTrue(pingCount >= 8 && pingCount <= 10, pingCount + " pings in 10 s");
  }

  @Test
  void aPeerThatIsNearGetsNoWiderWindow() {
    int id = upload();
    for (int i = 0; i < 100; i++) {
      roundTrip(0, ALL);
    }
    assertEquals(0, extraBytes(id));
    assertEquals(1, pingCount);
  }

  /** Bytes are given back all the time, and come sooner than they are taken. */
  @Test
  void aStreamOfWhichSomethingIsAlwaysHeldGetsNoWiderWindow() {
    us.holds = true;
    int id = upload();
    for (int i = 0; i < 100; i++) {
      roundTrip(RTT_MS, ALL);
      us.connection.credit(us.slot(id), us.connection.heldBytes(us.slot(id)) - 1);
      hear();
    }
    assertEquals(0, extraBytes(id));
    assertTrue(pingCount > 0);
  }

  @Test
  void aStreamWhoseContentIsTakenBetweenGetsAWiderWindow() {
    us.holds = true;
    int id = upload();
    for (int i = 0; i < 10; i++) {
      roundTrip(RTT_MS, ALL);
      us.connection.credit(us.slot(id), us.connection.heldBytes(us.slot(id)));
      hear();
      send(id, 1);
      us.connection.credit(us.slot(id), 1);
      send(id, 1); // is held when the answer comes
      hear();
    }
    assertTrue(extraBytes(id) > 0);
  }

  @Test
  void theEndOfAMessageThatFitsIsNotWaitedFor() {
    int fits = upload("content-length: 90000");
    roundTrip(RTT_MS, ALL);
    assertEquals(0, pingCount);
    windows.remove(fits);
    upload("content-length: 110000");
    roundTrip(RTT_MS, ALL);
    assertEquals(1, pingCount);
  }

  @Test
  void windowsOfOneClientsConnectionHaveNoMoreThanAMebibyteAboveTheStandards() {
    int first = upload();
    grow();
    int second = upload();
    for (int i = 0; i < 100; i++) {
      roundTrip(RTT_MS, ALL);
    }
    assertEquals(MAX_BYTES - WINDOW_BYTES, extraBytes(first));
    assertEquals(WINDOW_BYTES, extraBytes(second));
    assertTrue(us.connection.windows.growth().extraBytes() <= 1 << 20);
  }

  @Test
  void aWindowIsWiderByAQuarterAtMostOfWhatOthersLeaveFree() {
    final int mostBytes = WatchedStreams.MAX_HELD_BYTES / 4;
    final int othersBytes = mostBytes - 4 * 3 * WINDOW_BYTES;
    us.connection.loop.widen(Role.SERVER, othersBytes);
    int id = upload();
    grow();
    assertEquals(3 * WINDOW_BYTES, extraBytes(id));
    us.connection.loop.widen(Role.SERVER, -othersBytes);
  }

  @Test
  void contentOfAWideWindowThatIsHeldEndsNoOtherStream() {
    int wide = upload();
    grow();
    us.holds = true;
    send(wide, ALL);
    final long mostBytes = Http2Connection.MAX_RECEIVED_BYTES + extraBytes(wide);
    while (us.connection.heldBytes() + WINDOW_BYTES <= mostBytes) {
      send(upload(), ALL);
    }
    assertTrue(us.connection.heldBytes() > 18 * Http2Connection.MAX_RECEIVED_BYTES / 10);
    assertTrue(us.embedded().config().isAutoRead());
    us.pass(2_000);
    hear(); // finds no reset
    send(upload(), ALL);
    assertFalse(us.embedded().config().isAutoRead(), "a mebibyte and what has grown is the bound");
  }

  @Test
  void whileMuchIsHeldWindowsBecomeThoseOfTheStandardAgain() {
    int id = upload();
    grow();
    final int halfBytes = WatchedStreams.MAX_HELD_BYTES / 2 + 1;
    us.connection.loop.hold(Role.SERVER, halfBytes);
    for (int i = 0; i < 40; i++) {
      roundTrip(RTT_MS, ALL);
    }
    assertEquals(0, extraBytes(id));
    assertEquals(
        WINDOW_BYTES,
        windows.get(id) + us.connection.streams.uncreditedBytes[us.slot(id)],
        "and no less");
    us.connection.loop.hold(Role.SERVER, -halfBytes);
    grow();
    assertTrue(extraBytes(id) > 0);
  }

  @Test
  void whatOneStreamHadIsOthersWhenItsContentHasEndedAndIsConsumed() {
    int id = upload();
    grow();
    us.holds = true;
    peer.data(id, true, new byte[100]).send();
    assertEquals(MAX_BYTES - WINDOW_BYTES, extraBytes(id));
    us.connection.credit(us.slot(id), 100);
    assertEquals(0, us.connection.windows.growth().extraBytes());
  }

  @Test
  void onlyTheAnswerToOurPingCounts() {
    int id = upload();
    peer.pingAck(WindowGrowth.PING).send();
    roundTrip(RTT_MS, ALL);
    us.pass(RTT_MS);
    peer.pingAck(WindowGrowth.PING + 1).send();
    send(id, ALL);
    hear();
    assertEquals(0, extraBytes(id));
    grow();
    assertEquals(MAX_BYTES - WINDOW_BYTES, extraBytes(id));
    assertEquals(Map.of(), us.counted.glitches);
  }

  @Test
  void anAnswerToAStreamThatHasEndedWidensNoOther() {
    int id = upload();
    roundTrip(RTT_MS, ALL);
    assertEquals(1, pings.size());
    us.letGo(id);
    peer.reset(id, ErrorCode.CANCEL).send();
    windows.remove(id);
    int other = upload();
    assertEquals(0, us.slot(other), "of the same number");
    roundTrip(RTT_MS, ALL);
    roundTrip(RTT_MS, ALL);
    assertEquals(0, extraBytes(other));
  }
}

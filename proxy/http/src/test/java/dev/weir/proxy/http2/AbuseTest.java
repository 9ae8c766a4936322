package dev.weir.proxy.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.Glitch;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an abusive peer comes to, and that its honest twin comes to nothing. */
class AbuseTest {
  private final SlowChannel channel = new SlowChannel();
  private final WatchedStreams server = WatchedStreams.open(Role.SERVER, channel);
  private final FramePeer client = server.peer();

  AbuseTest() {
    client.startAsClient().send();
    client.received();
  }

  @AfterEach
  void end() {
    channel.takes = true;
    channel.finishAndReleaseAll();
    assertEquals(0, server.connection.heldBytes());
    assertEquals(0, server.counted.openConnections);
  }

  /** How often a frame passes before the connection is drained, and before it ends. */
  private int[] budget(IntConsumer frame) {
    final int[] counts = new int[2];
    for (int i = 1; i <= 20_000; i++) {
      frame.accept(i);
      client.send();
      for (String line : client.received()) {
        if (line.startsWith("GOAWAY 2147483647 NO_ERROR")) {
          counts[0] = i;
        } else if (line.startsWith("GOAWAY") && line.contains("ENHANCE_YOUR_CALM")) {
          counts[1] = i;
          return counts;
        }
      }
    }
    return counts;
  }

  private void assertBudget(int drained, int ended, IntConsumer frame) {
    final int[] counts = budget(frame);
    assertEquals(drained + " and " + ended, counts[0] + " and " + counts[1]);
  }

  @Test
  void pingsEndTheConnectionAndSayWhy() {
    for (int i = 0; i < 50; i++) {
      client.ping(i).send();
    }
    assertTrue(server.embedded().isOpen());
    assertTrue(client.received().contains("GOAWAY 2147483647 NO_ERROR"));
    client.ping(50).send();
    assertEquals(
        List.of("PING ack 50", "GOAWAY 0 ENHANCE_YOUR_CALM too_many_pings"), client.received());
    assertFalse(server.embedded().isOpen());
  }

  /** As with a large download, or where the system takes what is written a moment later. */
  @Test
  void answersThatThePeerTakesAreNoAbuseThoughThereIsAlwaysMoreToSend() {
    client.settings(Setting.INITIAL_WINDOW_SIZE, 1 << 30).request(1, true, "GET", "/").send();
    server.head(1, false, ":status: 200");
    channel.takes = false;
    for (int i = 0; i < 2_500; i++) {
      server.data(1, false, "content");
      client.ping(i).send();
      assertTrue(channel.isOpen());
      channel.take(1 << 20);
      client.received();
    }
  }

  @Test
  void aThousandAnswersThatThePeerDoesNotTakeAreTheMost() {
    channel.takes = false;
    for (int i = 0; i < 1_000; i++) {
      server.pass(10_001); // none is early
      client.ping(i).send();
    }
    assertTrue(channel.isOpen());
    client.ping(1_000).send();
    assertFalse(channel.isOpen());
  }

  @Test
  void pingsThatMeasureWhatWeSendAreNoAbuse() {
    client.settings(Setting.INITIAL_WINDOW_SIZE, 1 << 30).request(1, true, "GET", "/").send();
    server.head(1, false, ":status: 200");
    for (int i = 0; i < 1_000; i++) {
      server.data(1, false, "content");
      client.ping(i).send();
      client.received();
    }
    assertFalse(server.counted.glitches.containsKey(Glitch.PING));
    for (int i = 0; i < 20; i++) {
      server.pass(10_001);
      client.ping(i).send();
    }
    assertFalse(server.counted.glitches.containsKey(Glitch.PING));
  }

  @Test
  void settingsEndTheConnection() {
    assertBudget(151, 200, i -> client.settings(Setting.ENABLE_PUSH, 0));
  }

  @Test
  void settingsThatChangeWindowsEndItSooner() {
    assertBudget(51, 67, i -> client.settings(Setting.INITIAL_WINDOW_SIZE, i));
  }

  @Test
  void longSettingsEndItSooner() {
    final int[] pairs = new int[66];
    Arrays.fill(pairs, 0x99);
    assertBudget(14, 19, i -> client.settings(pairs));
  }

  @Test
  void acknowledgementsOfNothingEndTheConnection() {
    assertBudget(151, 200, i -> client.settingsAck());
  }

  @Test
  void emptyContentEndsTheConnection() {
    client.request(1, false, "POST", "/").send();
    assertBudget(151, 200, i -> client.data(1, false, ""));
  }

  @Test
  void paddingAloneEndsTheConnection() {
    client.request(1, false, "POST", "/").send();
    assertBudget(151, 200, i -> client.padded(1, false, "", 200));
  }

  @Test
  void tinyContentEndsTheConnectionAndAMessageOfGrpcDoesNot() {
    client.request(1, false, "POST", "/").send();
    for (int i = 0; i < 2_000; i++) {
      client.data(1, false, "12345").send();
    }
    assertEquals(Map.of(), server.counted.glitches);
    assertBudget(751, 1_000, i -> client.data(1, false, "1234"));
  }

  @Test
  void prioritiesEndTheConnectionBeyondAHundredForEachStream() {
    assertBudget(851, 1_100, i -> client.frame(FrameType.PRIORITY, 0, 3, new byte[5]));
  }

  @Test
  void unknownFramesEndTheConnectionBeyondAHundredForEachStream() {
    client.request(1, true, "GET", "/");
    assertBudget(951, 1_200, i -> client.frame(0x10, 0, 0, new byte[5]));
  }

  @Test
  void windowUpdatesEndTheConnectionUnlessContentExplainsThem() {
    client.request(1, true, "GET", "/").send();
    server.head(1, false, ":status: 200");
    for (int i = 0; i < 500; i++) {
      server.data(1, false, "1");
      client.windowUpdate(0, 1).windowUpdate(1, 1).send();
      client.received();
    }
    assertEquals(Map.of(), server.counted.glitches);
    assertBudget(9_758, 10_007, i -> client.windowUpdate(0, 1));
  }

  @Test
  void aHighIdentifierExplainsNoMoreWindowUpdatesThanALowOne() {
    client.request(1_000_001, true, "GET", "/").send();
    server.told();
    assertBudget(758, 1_007, i -> client.windowUpdate(0, 1));
  }

  @Test
  void faultsThatMakeUsResetStreamsEndTheConnection() {
    assertBudget(
        76, 100, i -> client.request(2 * i - 1, true, "GET", "/").windowUpdate(2 * i - 1, 0));
  }

  @Test
  void emptyContinuationsEndTheConnection() {
    client.frame(FrameType.HEADERS, 0, 1, client.fields(":method: GET"));
    for (int i = 0; i < 7; i++) {
      client.frame(FrameType.CONTINUATION, 0, 1);
    }
    client.send();
    assertEquals(List.of(), client.received());
    client.frame(FrameType.CONTINUATION, 0, 1).send();
    assertEquals(List.of("GOAWAY 0 ENHANCE_YOUR_CALM"), client.received());
  }

  @Test
  void aBlockThatIsTooLongEndsTheConnection() {
    client.frame(FrameType.HEADERS, 0, 1, new byte[16_384]);
    client.frame(FrameType.CONTINUATION, 0, 1, new byte[16_384]).send();
    assertEquals(List.of(), client.received());
    client.frame(FrameType.CONTINUATION, 0, 1, new byte[1]).send();
    assertEquals(List.of("GOAWAY 0 ENHANCE_YOUR_CALM"), client.received());
  }

  @Test
  void manyFieldsAreToldAsTooLargeAndTwiceAsManyEndTheConnection() {
    final String[] lines = new String[96];
    Arrays.fill(lines, "a: b");
    client.request(1, true, "GET", "/", lines).send();
    assertFalse(server.told().get(0).contains("and more"));
    final String[] more = new String[97];
    Arrays.fill(more, "cookie: a");
    client.request(3, true, "GET", "/", more).send();
    assertTrue(server.told().get(0).contains("and more"));
    final String[] most = new String[197];
    Arrays.fill(most, "cookie: a");
    client.request(5, true, "GET", "/", most).send();
    assertEquals(List.of("GOAWAY 3 ENHANCE_YOUR_CALM"), client.received());
  }

  @Test
  void aBlockWithoutAnEndEndsTheConnectionInTime() {
    client.frame(FrameType.HEADERS, 0, 1, client.fields(":method: GET")).send();
    for (int i = 0; i < 9; i++) {
      server.pass(1_000);
      client.frame(FrameType.CONTINUATION, 0, 1, client.fields("a: b")).send();
      assertEquals(List.of(), client.received());
      if (i == 6) {
        break;
      }
    }
    server.pass(4_000);
    assertEquals(
        List.of("GOAWAY 0 ENHANCE_YOUR_CALM a frame or a field block has no end"),
        client.received());
  }

  @Test
  void aFrameThatComesByTheByteEndsTheConnectionInTimeWhateverElseIsOpen() {
    client.request(1, true, "GET", "/").send();
    client.frame(FrameType.HEADERS, FrameFlag.END_HEADERS, 3, new byte[100]);
    for (int i = 0; i < 20; i++) {
      client.sendBut(100 - i);
      server.pass(490);
      assertEquals(List.of(), client.received());
    }
    client.sendBut(1);
    server.pass(300);
    assertEquals(
        List.of("GOAWAY 1 ENHANCE_YOUR_CALM a frame or a field block has no end"),
        client.received());
  }

  @Test
  void framesThatAreEachCutForAWhileAreNoAbuse() {
    client.request(1, false, "POST", "/").send();
    for (int id = 3; id < 83; id += 2) {
      client.request(id, true, "GET", "/").sendBut(5);
      server.pass(1_000);
    }
    client.send();
    assertEquals(41, server.told().size());
    server.pass(11_000);
    assertEquals(List.of(), client.received());
  }

  @Test
  void settingsThatAreNeverAcknowledgedEndTheConnection() {
    final WatchedStreams silent = WatchedStreams.open(Role.SERVER);
    final FramePeer peer = silent.peer();
    peer.preface().settings().send();
    peer.received();
    silent.pass(9_900);
    assertEquals(List.of(), peer.received());
    silent.pass(200);
    assertEquals(
        List.of("GOAWAY 0 SETTINGS_TIMEOUT no SETTINGS acknowledged in time"), peer.received());
    silent.embedded().finishAndReleaseAll();
  }

  @Test
  void aConnectionThatDoesNotBeginAsOneEnds() {
    final WatchedStreams other = WatchedStreams.open(Role.SERVER);
    other
        .embedded()
        .writeInbound(Unpooled.copiedBuffer("PRI * HTTP/1.1", StandardCharsets.US_ASCII));
    assertFalse(other.embedded().isOpen());
    other.embedded().finishAndReleaseAll();
    final WatchedStreams headFirst = WatchedStreams.open(Role.SERVER);
    final FramePeer peer = headFirst.peer();
    peer.received();
    peer.preface().request(1, true, "GET", "/").send();
    assertEquals(List.of("GOAWAY 0 PROTOCOL_ERROR"), peer.received());
    headFirst.embedded().finishAndReleaseAll();
  }

  @Test
  void streamsAboveTheMostAreRefusedAndCountUntilTheirUserLetsGo() {
    for (int i = 0; i < 100; i++) {
      client.request(2 * i + 1, true, "GET", "/");
    }
    client.request(201, true, "GET", "/").send();
    assertEquals(List.of("RST_STREAM 201 REFUSED_STREAM"), client.received());
    client.reset(1, ErrorCode.CANCEL).request(203, true, "GET", "/").send();
    assertEquals(List.of("RST_STREAM 203 REFUSED_STREAM"), client.received());
    server.letGo(1);
    client.request(205, true, "GET", "/").send();
    assertEquals(List.of(), client.received());
    assertEquals(Map.of(Glitch.EXCESS_STREAM, 2), server.counted.glitches);
  }

  @Test
  void streamsThatHaveEndedCountWhileTheirAnswersAreNotTaken() {
    channel.takes = false;
    int refused = 0;
    for (int i = 0; i < 2_000 && refused == 0; i++) {
      final int id = 2 * i + 1;
      client.request(id, true, "GET", "/").send();
      if (server.told().isEmpty()) {
        refused = i;
      } else {
        server.head(id, true, ":status: 429", "a: " + "x".repeat(120));
        server.letGo(id);
      }
    }
    assertTrue(refused > 250 && refused < 700, "refused after " + refused);
    channel.takes = true;
    channel.flush();
    client.request(9_001, true, "GET", "/").send();
    assertEquals(1, server.told().size());
  }

  @Test
  void whoOpensAStreamForEachThatHasEndedIsNeverRefusedHoweverSlowlyItTakesItsAnswers() {
    channel.takes = false;
    client.windowUpdate(0, 1 << 30);
    int nextId = 1;
    for (; nextId < 200; nextId += 2) {
      client.request(nextId, true, "GET", "/");
    }
    client.send();
    server.told();
    for (int answered = 1; answered < nextId && nextId < 1_200; answered += 2) {
      server.head(answered, false, ":status: 200");
      server.data(answered, true, "x".repeat(15_000));
      server.letGo(answered);
      channel.runPendingTasks();
      channel.take(answered < 20 ? 0 : 16_000); // the output is full from here on
      for (String line : client.received()) {
        assertFalse(line.startsWith("RST_STREAM"), line);
        if (line.endsWith(" end")) {
          client.request(nextId, true, "GET", "/").send();
          nextId += 2;
        }
      }
      server.told();
    }
    assertEquals(Map.of(), server.counted.glitches);
    assertTrue(nextId >= 1_200, "stopped at " + nextId);
    server.letGoOfAll();
  }

  @Test
  void aPeerThatMakesUsAnswerAndTakesNothingIsLeft() {
    channel.takes = false;
    for (int i = 0; i < 1_001 && channel.isOpen(); i++) {
      server.pass(11_000); // seldom enough
      client.ping(i).send();
    }
    assertFalse(channel.isOpen());
    assertEquals(Map.of(), server.counted.glitches);
  }

  @Test
  void streamsThatAreResetAtOnceStopTheReadingAndThenEndTheConnection() {
    int id = 1;
    for (int i = 0; i < 200; i++, id += 2) {
      client.request(id, true, "GET", "/").reset(id, ErrorCode.CANCEL).send();
      server.letGo(id);
    }
    assertEquals(Map.of(), server.counted.glitches);
    client.request(id, true, "GET", "/").reset(id, ErrorCode.CANCEL);
    client.request(id + 2, true, "GET", "/").send();
    server.letGo(id);
    assertEquals(Map.of(Glitch.RAPID_RESET, 1), server.counted.glitches);
    server.told();
    assertFalse(channel.config().isAutoRead());
    server.pass(110);
    assertEquals(1, server.told().size());
    assertTrue(channel.config().isAutoRead());
  }

  @Test
  void streamsThatAreResetWhenTheyHaveHungForASecondAreNoAbuse() {
    int id = 1;
    for (int round = 0; round < 20; round++) {
      final int first = id;
      for (int i = 0; i < 90; i++, id += 2) {
        client.request(id, true, "GET", "/");
      }
      client.send();
      server.pass(1_001);
      for (int i = first; i < id; i += 2) {
        client.reset(i, ErrorCode.CANCEL);
      }
      client.send();
      for (int i = first; i < id; i += 2) {
        server.letGo(i);
      }
    }
    assertEquals(Map.of(), server.counted.glitches);
  }

  /** As in an outage of calls that have 20 ms: 4,500 of them in a second. */
  @Test
  void streamsThatAreResetAtTheirDeadlinesAreNoAbuseAndSoonerAre() {
    server.patienceNs = TimeUnit.MILLISECONDS.toNanos(20);
    int id = 1;
    for (int round = 0; round < 50; round++) {
      id = openAndReset(id, 90, 11);
    }
    assertEquals(Map.of(), server.counted.glitches);
    openAndReset(openAndReset(openAndReset(id, 90, 10), 90, 10), 90, 10);
    assertTrue(server.counted.glitches.containsKey(Glitch.RAPID_RESET));
  }

  /** Returns the next identifier. */
  private int openAndReset(int firstId, int count, long afterMs) {
    final int endId = firstId + 2 * count;
    for (int id = firstId; id < endId; id += 2) {
      client.request(id, true, "GET", "/");
    }
    client.send();
    server.age(afterMs);
    for (int id = firstId; id < endId; id += 2) {
      client.reset(id, ErrorCode.CANCEL);
    }
    client.send();
    server.letGoOfAll();
    return endId;
  }

  @Test
  void aTabThatIsClosedResetsAHundredStreamsForNothing() {
    for (int i = 0; i < 100; i++) {
      client.request(2 * i + 1, true, "GET", "/");
    }
    for (int i = 0; i < 100; i++) {
      client.reset(2 * i + 1, ErrorCode.CANCEL);
    }
    client.send();
    for (int i = 0; i < 100; i++) {
      server.letGo(2 * i + 1);
    }
    assertEquals(Map.of(), server.counted.glitches);
  }

  @Test
  void bodiesOfAHundredRefusedRequestsAreNoFault() {
    server.within =
        () -> {
          final String[] words = server.told().get(0).split(" ");
          if (words[0].equals("head")) {
            server.head(Integer.parseInt(words[1]), true, ":status: 429");
            server.letGo(Integer.parseInt(words[1]));
          }
        };
    for (int i = 0; i < 100; i++) {
      client.request(2 * i + 1, false, "POST", "/");
    }
    client.send();
    for (int i = 0; i < 100; i++) {
      client.data(2 * i + 1, true, "content");
    }
    client.send();
    assertTrue(client.received().stream().noneMatch(line -> line.startsWith("GOAWAY")));
    assertEquals(Map.of(), server.counted.glitches);
    assertEquals(0, server.connection.streamCount());
  }

  @Test
  void aWindowOfNothingResetsTheStreamAndManyInAMinuteDrainTheConnection() {
    client.settings(Setting.INITIAL_WINDOW_SIZE, 0).send();
    for (int id = 1; id <= 7; id += 2) {
      client.request(id, true, "GET", "/").send();
      client.received();
      server.head(id, false, ":status: 200");
      server.data(id, true, "content");
      server.pass(29_000);
      assertEquals(List.of("HEADERS " + id + " :status: 200"), client.received());
      server.pass(1_100);
      final List<String> frames = client.received();
      assertEquals("RST_STREAM " + id + " CANCEL", frames.get(0));
      server.letGo(id);
      assertEquals(
          id == 7 ? List.of("GOAWAY 2147483647 NO_ERROR") : List.of(),
          frames.stream().filter(frame -> frame.startsWith("GOAWAY")).toList());
    }
  }

  /** Be it a minute and a half: next to nothing is looked for over as long a time, too. */
  @Test
  void aWindowOfNothingResetsTheStreamWhenTheTimeIsOverThatItsUserGives() {
    server.stalledMs = 90_000;
    client.settings(Setting.INITIAL_WINDOW_SIZE, 0).request(1, true, "GET", "/").send();
    server.head(1, false, ":status: 200");
    server.data(1, true, "content");
    client.received();
    for (int seconds = 1; seconds < 90; seconds++) {
      server.pass(1_000);
    }
    assertEquals(List.of(), client.received());
    server.pass(2_000);
    assertEquals(List.of("RST_STREAM 1 CANCEL"), client.received());
    server.letGo(1);
  }

  @Test
  void aWindowThatCreepsResetsTheStream() {
    client.settings(Setting.INITIAL_WINDOW_SIZE, 0).request(1, true, "GET", "/").send();
    server.head(1, false, ":status: 200");
    server.data(1, false, "x".repeat(100_000));
    for (int second = 0; second < 59; second++) {
      client.windowUpdate(1, 1_000).send();
      server.pass(1_000);
    }
    assertTrue(client.received().stream().noneMatch(line -> line.startsWith("RST")));
    server.pass(2_000);
    assertTrue(client.received().contains("RST_STREAM 1 CANCEL"));
    server.letGo(1);
  }

  @Test
  void aConnectionThatIsMostlyOverheadEnds() {
    client.request(1, false, "POST", "/").send();
    int frames = 0;
    for (; channel.isOpen() && frames < 1_000; frames++) {
      client.frame(0x99, 0, 0, new byte[16_384]).send();
      server.pass(100);
    }
    assertEquals(8 * (1 << 20) / (16_384 + 9) + 1, frames, 1);
    assertTrue(client.received().contains("GOAWAY 1 ENHANCE_YOUR_CALM"));
  }

  @Test
  void overheadIsCountedByTheMinuteSoThatNoAgeEndsAConnection() {
    client.request(1, false, "POST", "/").send();
    for (int minute = 0; minute < 10; minute++) {
      for (int frames = 0; frames < 100; frames++) {
        client.frame(0x99, 0, 0, new byte[16_384]).send();
      }
      server.pass(61_000);
    }
    assertTrue(channel.isOpen());
  }

  @Test
  void contentOfAnEarlierMinuteExcusesNoOverhead() {
    for (int id = 1; id < 200; id += 2) {
      client.request(id, false, "POST", "/").data(id, true, "x".repeat(16_384)).send();
      server.head(id, true, ":status: 204");
      server.letGo(id);
    }
    server.pass(61_000);
    client.request(201, false, "POST", "/").send();
    int frames = 0;
    for (; channel.isOpen() && frames < 1_000; frames++) {
      client.frame(0x99, 0, 0, new byte[16_384]).send();
    }
    assertEquals(8 * (1 << 20) / (16_384 + 9) + 1, frames, 1);
  }

  @Test
  void aDrainedConnectionServesWhatWasOnTheWayAndThenEnds() {
    client.request(1, true, "GET", "/").send();
    server.connection.drain();
    assertEquals(
        List.of("GOAWAY 2147483647 NO_ERROR", "PING " + GoAways.DRAIN_PING), client.received());
    client.request(3, true, "GET", "/").pingAck(GoAways.DRAIN_PING).request(5, true, "GET", "/");
    client.data(5, true, "content").windowUpdate(5, 1).reset(5, 8).send();
    assertEquals(List.of("GOAWAY 3 NO_ERROR"), client.received());
    for (int id = 1; id <= 3; id += 2) {
      assertTrue(server.embedded().isOpen());
      server.head(id, true, ":status: 200");
      server.letGo(id);
      client.received();
    }
    assertFalse(server.embedded().isOpen());
  }

  @Test
  void aDrainedConnectionDoesNotWaitForItsPing() {
    server.connection.drain();
    server.pass(900);
    assertTrue(server.embedded().isOpen());
    server.pass(200);
    assertFalse(server.embedded().isOpen());
  }

  @Test
  void aDrainedConnectionWaitsUntilItsLastAnswerIsTaken() {
    client.request(1, true, "GET", "/").send();
    channel.takes = false;
    server.head(1, false, ":status: 200");
    server.data(1, true, "answer");
    server.letGo(1);
    server.connection.drain();
    server.pass(1_100);
    server.pass(5_000);
    assertTrue(channel.isOpen());
    channel.takes = true;
    channel.flush();
    assertTrue(client.received().contains("DATA 1 answer end"));
    assertFalse(channel.isOpen());
  }
}

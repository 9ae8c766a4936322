package dev.weir.proxy.decision.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.decision.DecisionRig;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.Setting;
import dev.weir.proxy.request.DecisionCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of gRPC and their answers, frame by frame. */
class GrpcCallTest {
  private static final String HEAD = ":status: 200, content-type: application/grpc";
  private static final int RESET_AT_ONCE = 90;

  /** Answers with what it was asked with, at once or later; or with its length, if that is long. */
  private static final class Echo implements GrpcMethod {
    private final String path;
    private final boolean isStreaming;
    private final List<GrpcCall> held = new ArrayList<>();
    private boolean holds;
    private boolean failsOnce;
    private int cancelled;
    private int asked;

    /** How many calls had been asked when it was told that none follow. */
    private boolean failsToExpect;

    private int foundAttached;
    private final List<Integer> askedAll = new ArrayList<>();

    Echo(String path, boolean isStreaming) {
      this.path = path;
      this.isStreaming = isStreaming;
    }

    @Override
    public String path() {
      return path;
    }

    @Override
    public DecisionCall kind() {
      if (failsOnce) {
        failsOnce = false;
        throw new IllegalStateException("as the test wants it");
      }
      return DecisionCall.CHECK_RATE_LIMIT;
    }

    @Override
    public boolean isStreaming() {
      return isStreaming;
    }

    @Override
    public void prefetch(GatheredCalls calls, int from, int to) {
      if (failsToExpect) {
        calls.call(from).attach(this);
        throw new IllegalStateException("as the test wants it");
      }
    }

    @Override
    public void call(GrpcCall call) {
      asked++;
      foundAttached += call.attachment() == null ? 0 : 1;
      DirectBuffer message = call.message();
      byte[] bytes = new byte[Math.min(100, message.capacity())];
      message.getBytes(0, bytes);
      call.attach(message.capacity() > 100 ? new byte[] {'l', 'o', 'n', 'g'} : bytes);
      if (bytes.length == 1 && bytes[0] == '!') {
        throw new IllegalStateException("as the test wants it");
      }
      if (holds) {
        held.add(call);
      } else {
        answer(call);
      }
    }

    void answer(GrpcCall call) {
      call.answer().bytes(1, (byte[]) call.attachment());
      call.send();
    }

    @Override
    public void askedAll() {
      askedAll.add(asked);
    }

    @Override
    public void cancelled(GrpcCall call) {
      cancelled++;
    }
  }

  private final Echo echo = new Echo("/a.B/Echo", false);
  private final Echo stream = new Echo("/a.B/Stream", true);
  private final DecisionRig rig =
      new DecisionRig().with(List.of(echo, stream), List.of()).connectHttp2();

  @AfterEach
  void end() {
    rig.close();
    assertEquals(0, rig.open);
    assertEquals(0, rig.http2.heldBytes());
  }

  private void assertReceived(String... frames) {
    assertEquals(List.of(frames), rig.client.received());
  }

  private void assertFails(int stream, int status, String message) {
    assertReceived(
        "HEADERS "
            + stream
            + " "
            + HEAD
            + (status == 12 ? ", grpc-accept-encoding: identity" : "")
            + ", grpc-status: "
            + status
            + ", grpc-message: "
            + message
            + " end");
  }

  private void assertAnswered(int id, String text) {
    assertReceived(
        "HEADERS " + id + " " + HEAD,
        "DATA " + id + " " + DecisionRig.message("\n" + (char) text.length() + text),
        "HEADERS " + id + " grpc-status: 0 end");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7})
  void answersAMessageThatIsWholeOrCutAnywhere(int bytesPerRead) {
    rig.client.bytesPerRead = bytesPerRead;
    rig.head(1, "/a.B/Echo").data(1, true, DecisionRig.message("hello")).send();
    assertAnswered(1, "hello");
    assertEquals(List.of("CHECK_RATE_LIMIT 0"), rig.ends);
  }

  @Test
  void answersAllCallsOfAReadInTheirOrder() {
    int calls = 2 * GatheredCalls.MAX_CALLS + 1;
    for (int i = 0; i < calls; i++) {
      rig.head(2 * i + 1, "/a.B/Echo").data(2 * i + 1, true, DecisionRig.message("hello"));
    }
    rig.client.send();
    List<String> received = rig.client.received();
    for (int i = 0; i < calls; i++) {
      assertEquals("HEADERS " + (2 * i + 1) + " " + HEAD, received.get(3 * i));
    }
    assertEquals(3 * calls, received.size());
  }

  @Test
  void tellsAMethodWhenAllItsCallsOfAReadAreAsked() {
    rig.head(1, "/a.B/Echo").data(1, true, DecisionRig.message("!"));
    rig.head(3, "/a.B/Stream").data(3, false, DecisionRig.message("three"));
    rig.head(5, "/a.B/Echo").data(5, true, DecisionRig.message("five")).send();
    assertEquals(List.of(2), echo.askedAll);
    assertEquals(List.of(1), stream.askedAll);
    rig.client.ping(0).send();
    assertEquals(List.of(2), echo.askedAll);
  }

  @Test
  void asksNoCallThatIsResetInTheReadOfItsMessage() {
    rig.head(1, "/a.B/Echo").data(1, true, DecisionRig.message("one"));
    rig.client.reset(1, ErrorCode.CANCEL);
    rig.head(3, "/a.B/Echo").data(3, true, DecisionRig.message("three")).send();
    assertAnswered(3, "three"); // by the object that had served the first
    assertEquals(List.of("CHECK_RATE_LIMIT 1", "CHECK_RATE_LIMIT 0"), rig.ends);
    assertEquals(0, echo.cancelled, "cancelled though it was not asked");
  }

  @Test
  void answersTheCallsThatWereReadBeforeAFaultOfTheConnection() {
    rig.head(1, "/a.B/Echo").data(1, true, DecisionRig.message("one"));
    rig.client.data(0, true, "x").send(); // content of no stream
    List<String> received = rig.client.received();
    assertEquals("HEADERS 1 grpc-status: 0 end", received.get(2));
    assertTrue(received.get(3).startsWith("GOAWAY"), received.toString());
  }

  @Test
  void failsTheCallThatABugIsMetByAndNoOtherOfItsRead() {
    rig.head(1, "/a.B/Echo").data(1, true, DecisionRig.message("\n\1x"));
    rig.head(3, "/a.B/Echo").data(3, true, DecisionRig.message("!"));
    rig.head(5, "/a.B/Echo").data(5, true, DecisionRig.message("five")).send();
    assertEquals(
        List.of("CHECK_RATE_LIMIT 0", "CHECK_RATE_LIMIT 13", "CHECK_RATE_LIMIT 0"), rig.ends);
  }

  /** To look at them is no more than help. */
  @Test
  void asksAllCallsOfAReadThoughToLookAtThemHasFailed() {
    echo.failsToExpect = true;
    for (int id = 1; id < 2 * GatheredCalls.MAX_CALLS + 3; id += 2) {
      rig.head(id, "/a.B/Echo").data(id, true, DecisionRig.message("x"));
    }
    rig.client.send();
    assertEquals(Collections.nCopies(GatheredCalls.MAX_CALLS + 1, "CHECK_RATE_LIMIT 0"), rig.ends);
    assertEquals(0, echo.foundAttached, "what was found out until then is believed");
  }

  @Test
  void answersTheCallsThatWereReadBeforeABugAndKeepsNoneForTheNextRead() {
    for (int id = 1; id < 2 * GatheredCalls.MAX_CALLS + 3; id += 2) {
      rig.head(id, "/a.B/Echo").data(id, true, DecisionRig.message("x"));
    }
    stream.failsOnce = true;
    rig.head(2 * GatheredCalls.MAX_CALLS + 3, "/a.B/Stream").send();
    assertEquals(List.of(GatheredCalls.MAX_CALLS + 1), echo.askedAll);
    List<String> frames = rig.client.received();
    assertEquals(3 * echo.asked + 1, frames.size());
    assertTrue(frames.get(3 * echo.asked).startsWith("GOAWAY "), frames.toString());
    rig.open++; // the beginning of the last is what failed
  }

  @Test
  void gathersAMessageOverAsManyFramesAsItTakes() {
    rig.head(1, "/a.B/Echo");
    for (byte b :
        DecisionRig.message("hello").getBytes(java.nio.charset.StandardCharsets.US_ASCII)) {
      rig.client.data(1, false, new byte[] {b});
    }
    rig.client.data(1, true, "").send();
    assertAnswered(1, "hello");
  }

  @Test
  void takesAMessageOfFourMebibytesAndNoneThatIsLonger() {
    byte[] message = DecisionRig.message(new byte[GrpcCall.MAX_MESSAGE_BYTES]);
    rig.head(1, "/a.B/Echo").send();
    long window = 65_535;
    for (int at = 0; at < message.length; at += 16_384) {
      int end = Math.min(message.length, at + 16_384);
      rig.client.data(1, end == message.length, Arrays.copyOfRange(message, at, end)).send();
      window -= end - at;
      for (String frame : rig.client.received()) {
        if (frame.startsWith("WINDOW_UPDATE 1 ")) {
          window += Long.parseLong(frame.substring(16));
        } else if (frame.startsWith("DATA")) {
          assertEquals("DATA 1 " + DecisionRig.message("\n\4long"), frame);
        }
      }
      assertTrue(window >= 0, "the window is closed at " + at);
    }
    assertEquals(List.of("CHECK_RATE_LIMIT 0"), rig.ends);
    byte[] tooLong = DecisionRig.message(new byte[1]);
    GrpcHeads.writePrefix(tooLong, GrpcCall.MAX_MESSAGE_BYTES + 1);
    rig.head(3, "/a.B/Echo").data(3, false, tooLong).send();
    List<String> frames = rig.client.received();
    assertEquals(
        "HEADERS 3 "
            + HEAD
            + ", grpc-status: 8, grpc-message: a message of 4194305 bytes (expected: at most"
            + " 4194304) end",
        frames.get(0));
    assertEquals(List.of("RST_STREAM 3 NO_ERROR"), frames.subList(1, frames.size()));
    rig.head(5, "/a.B/Echo").data(5, true, DecisionRig.message("on")).send();
    assertAnswered(5, "on");
  }

  /**
   * What a client sends of several messages, a frame of each in turn, as far as windows are open.
   */
  private final class Senders {
    private static final int FRAME_BYTES = 16_384;

    private final byte[] message;
    private final Map<Integer, int[]> windowsAndPlaces = new TreeMap<>();
    private final List<String> answers = new ArrayList<>();

    Senders(int bytes, int... streams) {
      message = DecisionRig.message(new byte[bytes]);
      for (int id : streams) {
        rig.head(id, "/a.B/Echo");
        windowsAndPlaces.put(id, new int[] {65_535, 0});
      }
      rig.client.send();
    }

    /** Until nobody may send any more. */
    List<String> run() {
      boolean isAny = true;
      while (isAny) {
        isAny = false;
        for (int id : List.copyOf(windowsAndPlaces.keySet())) {
          isAny |= sendOne(id, windowsAndPlaces.get(id));
        }
      }
      return answers;
    }

    private boolean sendOne(int id, int[] of) {
      int at = of[1];
      int end = Math.min(message.length, at + Math.min(of[0], FRAME_BYTES));
      if (at == end) {
        return false;
      }
      of[0] -= end - at;
      of[1] = end;
      boolean isLast = end == message.length;
      rig.client.data(id, isLast, Arrays.copyOfRange(message, at, end)).send();
      hear();
      return true;
    }

    /** More held than may be, and the connection is not read for a second, and then calls end. */
    private void hear() {
      long heldBytes = rig.http2.heldBytes();
      assertTrue(heldBytes <= GrpcCalls.MAX_RECEIVED_BYTES, heldBytes + " bytes are held");
      for (String frame : rig.client.received()) {
        String[] words = frame.split(" ", 4);
        if (words[0].equals("WINDOW_UPDATE")) {
          int[] of = windowsAndPlaces.get(Integer.parseInt(words[1]));
          if (of != null) {
            of[0] += Integer.parseInt(words[2]);
          }
        } else if (frame.endsWith(" end") || words[0].equals("RST_STREAM")) {
          answers.add(frame);
          windowsAndPlaces.remove(Integer.parseInt(words[1]));
        }
      }
    }
  }

  @Test
  void longMessagesThatComeTogetherWaitForOneAnother() {
    List<String> answers = new Senders(3 << 20, 1, 3, 5).run();
    assertEquals(
        List.of(
            "HEADERS 1 grpc-status: 0 end",
            "HEADERS 3 grpc-status: 0 end",
            "HEADERS 5 grpc-status: 0 end"),
        answers);
  }

  @Test
  void longMessagesThatFitTogetherComeTogether() {
    List<String> answers = new Senders(1 << 20, 1, 3, 5, 7).run();
    assertEquals(4, answers.size());
    assertTrue(answers.stream().allMatch(answer -> answer.endsWith("grpc-status: 0 end")));
  }

  @Test
  void oneThatWaitsGoesOnWhenTheOneBeforeItIsLeft() {
    rig.head(1, "/a.B/Echo").data(1, false, new byte[] {0, 0, 0x40, 0, 0, 1}).send();
    Senders second = new Senders(3 << 20, 3);
    assertEquals(List.of(), second.run());
    rig.client.reset(1, ErrorCode.CANCEL).send();
    second.hear();
    assertEquals(List.of("HEADERS 3 grpc-status: 0 end"), second.run());
  }

  @Test
  void refusesMoreLongMessagesThanMayWait() {
    int[] streams = new int[LongMessages.MAX_WAITING + 2];
    for (int i = 0; i < streams.length; i++) {
      streams[i] = 1 + 2 * i;
    }
    List<String> answers = new Senders(3 << 20, streams).run();
    String refused =
        "HEADERS 19 "
            + HEAD
            + ", grpc-status: 8, grpc-message: a message of 3145728 bytes beside others (expected:"
            + " at most 4194304 together, and 8 that wait) end";
    assertEquals(refused, answers.get(0));
    assertEquals(
        LongMessages.MAX_WAITING + 1,
        answers.stream().filter(answer -> answer.endsWith("grpc-status: 0 end")).count());
  }

  @ParameterizedTest
  @CsvSource({
    "0n, 4, the deadline has passed",
    "1S, 0,",
    "100000000n, 13, 'grpc-timeout: 100000000n (expected: 1 to 8 digits and one of H, M, S, m, u"
        + " and n)'",
    "soon, 13, 'grpc-timeout: soon (expected: 1 to 8 digits and one of H, M, S, m, u and n)'",
  })
  void mindsTheTimeThatTheClientGives(String timeout, int status, String message) {
    rig.head(1, "/a.B/Echo", "grpc-timeout: " + timeout)
        .data(1, true, DecisionRig.message("a"))
        .send();
    if (status == 0) {
      assertAnswered(1, "a");
    } else {
      assertFails(1, status, message);
    }
  }

  @Test
  void endsACallWhoseTimeIsUpBeforeItsMessageOrItsAnswerHasCome() {
    echo.holds = true;
    rig.head(1, "/a.B/Echo", "grpc-timeout: 1S").send();
    rig.head(3, "/a.B/Echo", "grpc-timeout: 1S").data(3, true, DecisionRig.message("a")).send();
    rig.head(5, "/a.B/Echo").send();
    assertReceived();
    rig.pass(1_000_000_000);
    assertEquals(
        List.of(
            "HEADERS 1 " + HEAD + ", grpc-status: 4, grpc-message: the deadline has passed end",
            "HEADERS 3 " + HEAD + ", grpc-status: 4, grpc-message: the deadline has passed end",
            "RST_STREAM 1 NO_ERROR"),
        rig.client.received());
    assertEquals(1, echo.cancelled);
    rig.pass(DecisionRig.BODY_NS);
    List<String> frames = rig.client.received();
    assertEquals(
        "HEADERS 5 " + HEAD + ", grpc-status: 4, grpc-message: the message has not come end",
        frames.get(0));
  }

  /** As in an outage of the store: whoever asks waits no longer than it said. */
  @Test
  void callsThatAreResetAtTheirDeadlinesAreNoAbuseAndSoonerAre() {
    echo.holds = true;
    int id = 1;
    for (int round = 0; round < 20; round++) {
      id = callAndReset(id, 11_000_000);
    }
    assertEquals(20 * RESET_AT_ONCE, echo.cancelled);
    assertReceived();
    assertTrue(rig.channel.config().isAutoRead());
    callAndReset(callAndReset(callAndReset(id, 9_000_000), 9_000_000), 9_000_000);
    assertFalse(rig.channel.config().isAutoRead());
  }

  /** Resets calls that wait 20 ms for their answers; returns the next identifier. */
  private int callAndReset(int firstId, long afterNs) {
    int endId = firstId + 2 * RESET_AT_ONCE;
    for (int id = firstId; id < endId; id += 2) {
      rig.head(id, "/a.B/Echo", "grpc-timeout: 20m").data(id, true, DecisionRig.message("a"));
    }
    rig.client.send();
    rig.pass(afterNs);
    for (int id = firstId; id < endId; id += 2) {
      rig.client.reset(id, ErrorCode.CANCEL);
    }
    rig.client.send();
    return endId;
  }

  @Test
  void refusesWhatIsNoCallItKnows() {
    rig.head(1, "/a.B/Other").data(1, true, DecisionRig.message("a")).send();
    assertFails(1, 12, "no method /a.B/Other");
    rig.head(3, "/a.B/Echo", "grpc-encoding: gzip").data(3, true, DecisionRig.message("a")).send();
    assertFails(3, 12, "grpc-encoding: gzip (expected: identity)");
    rig.head(5, "/a.B/Echo").data(5, true, "\1\0\0\0\1a").send();
    assertFails(5, 13, "a compressed message without grpc-encoding");
    rig.head(7, "/a.B/Echo").data(7, true, "\7\0\0\0\1a").send();
    assertFails(7, 13, "a prefix of no message");
    rig.head(9, "/a.B/Echo").data(9, true, "\0\0\0\0\2a").send();
    assertFails(9, 13, "the message is cut");
    rig.head(11, "/a.B/Echo").data(11, true, "\0\0\0\0\1ab").send();
    assertFails(11, 13, "the call has more than one message");
    rig.head(13, "/a.B/Echo").data(13, true, "").send();
    assertFails(13, 13, "the call has no message");
    rig.client.request(15, true, "POST", "/a.B/Echo", "content-type: application/grpc").send();
    assertFails(15, 13, "the call has no message");
    rig.head(17, "/a.B/Echo").data(17, true, DecisionRig.message("!")).send();
    assertFails(17, 13, "an internal error");
    rig.head(19, "/a.B/Echo").data(19, true, DecisionRig.message("on")).send();
    assertAnswered(19, "on");
  }

  /** RFC 9113, section 8.3.1. */
  @Test
  void resetsACallWhosePathIsMalformed() {
    int id = 1;
    for (String path :
        List.of(
            "a.B/Echo",
            "*",
            "http://h/a.B/Echo",
            "v1/check",
            "",
            "/a.B/Echo ",
            "/a.B/No Method",
            "/a.B/Echo#",
            "/#")) {
      rig.head(id, path).data(id, true, DecisionRig.message("a")).send();
      assertReceived("RST_STREAM " + id + " PROTOCOL_ERROR");
      id += 2;
    }
    rig.head(id, "/a.B/Echo").data(id, true, DecisionRig.message("a")).send();
    assertAnswered(id, "a");
  }

  @Test
  void aCallThatIsLeftIsWithdrawnAndAnsweredByNobody() {
    echo.holds = true;
    rig.head(1, "/a.B/Echo").data(1, true, DecisionRig.message("a")).send();
    rig.head(3, "/a.B/Echo").data(3, true, DecisionRig.message("b")).send();
    rig.client.reset(1, ErrorCode.CANCEL).send();
    assertEquals(1, echo.cancelled);
    echo.answer(echo.held.get(1));
    assertAnswered(3, "b");
    assertEquals(List.of("CHECK_RATE_LIMIT 1", "CHECK_RATE_LIMIT 0"), rig.ends);
  }

  @Test
  void aStreamingCallIsAnsweredMessageByMessage() {
    rig.head(1, "/a.B/Stream").data(1, false, DecisionRig.message("a")).send();
    assertReceived("HEADERS 1 " + HEAD, "DATA 1 " + DecisionRig.message("\n\1a"));
    rig.client
        .data(1, false, DecisionRig.message("b") + DecisionRig.message("c").substring(0, 3))
        .send();
    assertReceived("DATA 1 " + DecisionRig.message("\n\1b"));
    rig.client.data(1, true, DecisionRig.message("c").substring(3)).send();
    assertReceived("DATA 1 " + DecisionRig.message("\n\1c"), "HEADERS 1 grpc-status: 0 end");
  }

  @Test
  void anAnswerWaitsForTheWindow() {
    rig.client.settings(Setting.INITIAL_WINDOW_SIZE, 3);
    rig.head(1, "/a.B/Echo").data(1, true, DecisionRig.message("hello")).send();
    assertReceived("SETTINGS ack", "HEADERS 1 " + HEAD, "DATA 1 \0\0\0");
    rig.client.windowUpdate(1, 100).send();
    assertReceived("DATA 1 \0\7\n\5hello", "HEADERS 1 grpc-status: 0 end");
  }

  @Test
  void answersTenThousandCallsOfOneConnection() {
    for (int i = 0; i < 10_000; i++) {
      rig.head(1 + 2 * i, "/a.B/Echo").data(1 + 2 * i, true, DecisionRig.message("a"));
      if (i % 500 == 499) {
        rig.client.windowUpdate(0, 500 * 8).send();
        List<String> frames = rig.client.received();
        assertEquals(3 * 500, frames.size());
        assertTrue(frames.stream().noneMatch(frame -> frame.startsWith("RST")));
      }
    }
    assertEquals(10_000, rig.ends.size());
  }

  @Test
  void aThousandCallsMayBeOpenAndNoMore() {
    echo.holds = true;
    for (int i = 0; i < 1_001; i++) {
      rig.head(1 + 2 * i, "/a.B/Echo").data(1 + 2 * i, true, DecisionRig.message("a"));
    }
    rig.client.send();
    assertReceived("RST_STREAM 2001 REFUSED_STREAM");
    assertEquals(1_000, echo.held.size());
    echo.answer(echo.held.get(0));
    assertAnswered(1, "a");
  }
}

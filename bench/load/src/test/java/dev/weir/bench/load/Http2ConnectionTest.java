package dev.weir.bench.load;

import static dev.weir.bench.load.RawHttp2Server.ACK;
import static dev.weir.bench.load.RawHttp2Server.CONTINUATION;
import static dev.weir.bench.load.RawHttp2Server.DATA;
import static dev.weir.bench.load.RawHttp2Server.END_HEADERS;
import static dev.weir.bench.load.RawHttp2Server.END_STREAM;
import static dev.weir.bench.load.RawHttp2Server.GOAWAY;
import static dev.weir.bench.load.RawHttp2Server.HEADERS;
import static dev.weir.bench.load.RawHttp2Server.OK;
import static dev.weir.bench.load.RawHttp2Server.PING;
import static dev.weir.bench.load.RawHttp2Server.PUSH_PROMISE;
import static dev.weir.bench.load.RawHttp2Server.RST_STREAM;
import static dev.weir.bench.load.RawHttp2Server.SETTINGS;
import static dev.weir.bench.load.RawHttp2Server.WINDOW_UPDATE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.scenario.Field;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What servers send and receive, frame by frame; most of them break RFC 9113. */
class Http2ConnectionTest {
  private static final int LAST = END_HEADERS | END_STREAM;
  private static final int HEADER_TABLE_SIZE = 1;
  private static final int MAX_CONCURRENT_STREAMS = 3;
  private static final int INITIAL_WINDOW_SIZE = 4;
  private static final int MAX_FRAME_SIZE = 5;
  private static final int PROTOCOL_ERROR = 1;
  private static final int FLOW_CONTROL_ERROR = 3;
  private static final int REFUSED_STREAM = 7;
  private static final int CANCEL = 8;

  private static final Request GET =
      Http2RequestsTest.of(Http2RequestsTest.spec("GET", "/", null), "");

  private static Request post(int bodyBytes) {
    byte[] body = new byte[bodyBytes];
    for (int i = 0; i < bodyBytes; i++) {
      body[i] = (byte) i;
    }
    return Http2RequestsTest.of(Http2RequestsTest.spec("POST", "/", body), "");
  }

  /** Runs a request against the script, and sees what is told of it. */
  private static void assertTold(RawHttp2Server.Script script, String... told) throws IOException {
    try (RawHttp2Server server = new RawHttp2Server(script);
        WatchedConnection client = new WatchedConnection().opened(server.address(), 9, false)) {
      client.start(GET, 1);
      client.expect(told);
    }
  }

  @Test
  void announcesThatItTakesNoPushesAndLargeWindows() throws IOException {
    assertTold(
        server -> {
          server.open();
          RawHttp2Server.Frame settings = server.read();
          assertEquals(SETTINGS, settings.type());
          assertArrayEquals(
              new byte[] {0, 2, 0, 0, 0, 0, 0, 4, 0x40, 0, 0, 0, 0, 6, 0, 1, 0, 0},
              settings.payload());
          RawHttp2Server.Frame window = server.read();
          assertEquals(WINDOW_UPDATE, window.type());
          assertEquals((1 << 30) - 65_535, window.asInt());
          assertEquals(ACK, server.read(SETTINGS).flags());
          server.read(HEADERS);
          server.send(HEADERS, LAST, 1, OK);
          server.drain();
        },
        "1 200");
  }

  @Test
  void skipsInformationalAnswers() throws IOException {
    byte[] earlyHints = {8, 3, '1', '0', '3'};
    assertTold(
        server -> {
          server.open();
          server.read(HEADERS);
          server.send(HEADERS, END_HEADERS, 1, earlyHints);
          server.send(HEADERS, END_HEADERS, 1, earlyHints);
          server.send(HEADERS, END_HEADERS, 1, OK);
          server.send(DATA, END_STREAM, 1);
          server.drain();
        },
        "1 200");
  }

  @Test
  void readsAnswersHoweverTheyAreCut() throws IOException {
    assertTold(
        server -> {
          server.open();
          server.read(HEADERS);
          byte[] answer = {
            0, 0, 1, 1, 0, 0, 0, 0, 1, 8, 0, 0, 4, 9, 4, 0, 0, 0, 1, 3, '4', '2', '9'
          };
          for (byte b : answer) {
            server.raw(b);
          }
          server.send(DATA, 0, 1, new byte[100]);
          server.send(HEADERS, LAST, 1, (byte) 0, (byte) 1, (byte) 't', (byte) 1, (byte) 'v');
          server.drain();
        },
        "1 429");
  }

  @Test
  void answersPings() throws IOException {
    byte[] data = {1, 2, 3, 4, 5, 6, 7, 8};
    assertTold(
        server -> {
          server.open();
          server.read(HEADERS);
          server.send(PING, 0, 0, data);
          RawHttp2Server.Frame pong = server.read(PING);
          assertEquals(ACK, pong.flags());
          assertArrayEquals(data, pong.payload());
          server.send(HEADERS, LAST, 1, OK);
          server.drain();
        },
        "1 200");
  }

  @Test
  void tellsThatARequestWasRefused() throws IOException {
    assertTold(
        server -> {
          server.open();
          server.read(HEADERS);
          server.send(RST_STREAM, 0, 1, REFUSED_STREAM);
          server.drain();
        },
        "1 stream reset");
  }

  @Test
  void tellsThatAnAnswerWasBrokenOff() throws IOException {
    assertTold(
        server -> {
          server.open();
          server.read(HEADERS);
          server.send(HEADERS, END_HEADERS, 1, OK);
          server.send(DATA, 0, 1, new byte[10]);
          server.send(RST_STREAM, 0, 1, CANCEL);
          server.drain();
        },
        "1 stream reset");
  }

  @Test
  void waitsForTheRestOfAnAnswerOfAServerThatGoesAway() throws IOException {
    assertTold(
        server -> {
          server.open();
          server.read(HEADERS);
          server.send(HEADERS, END_HEADERS, 1, OK);
          server.goAway(Integer.MAX_VALUE);
          server.goAway(1);
          server.send(DATA, END_STREAM, 1, new byte[10]);
          server.drain();
        },
        "1 200",
        "closed");
  }

  @Test
  void endsWhenAnIdleServerGoesAway() throws IOException {
    try (RawHttp2Server server =
            new RawHttp2Server(
                raw -> {
                  raw.open();
                  raw.goAway(0);
                  raw.drain();
                });
        WatchedConnection client = new WatchedConnection().opened(server.address(), 9, false)) {
      client.expect("closed");
      assertFalse(client.hasRoom());
    }
  }

  @Test
  void hasRoomForNoMoreStreamsThanTheServerTakes() throws IOException {
    try (RawHttp2Server server =
            new RawHttp2Server(
                raw -> {
                  raw.open(MAX_CONCURRENT_STREAMS, 1);
                  raw.read(HEADERS);
                  raw.settings(MAX_CONCURRENT_STREAMS, 2);
                  raw.drain();
                });
        WatchedConnection client = new WatchedConnection().opened(server.address(), 9, false)) {
      assertTrue(client.hasRoom());
      client.start(GET, 1);
      client.expectRoom();
      client.start(GET, 2);
      assertFalse(client.hasRoom());
    }
  }

  @Test
  void sendsNoMoreOfABodyThanTheStreamsWindowTakes() throws IOException {
    try (RawHttp2Server server =
            new RawHttp2Server(
                raw -> {
                  raw.open(INITIAL_WINDOW_SIZE, 10);
                  assertEquals(0, raw.read(HEADERS).flags() & END_STREAM);
                  assertEquals(10, raw.read(DATA).payload().length);
                  raw.send(WINDOW_UPDATE, 0, 1, 3);
                  assertArrayEquals(new byte[] {10, 11, 12}, raw.read(DATA).payload());
                  raw.settings(INITIAL_WINDOW_SIZE, 5);
                  raw.send(WINDOW_UPDATE, 0, 1, 6); // 5 - 10 + 6
                  assertArrayEquals(new byte[] {13}, raw.read(DATA).payload());
                  raw.settings(INITIAL_WINDOW_SIZE, 100);
                  RawHttp2Server.Frame last = raw.read(DATA);
                  assertEquals(20 - 14, last.payload().length);
                  assertEquals(END_STREAM, last.flags());
                  raw.send(HEADERS, LAST, 1, OK);
                  raw.drain();
                });
        WatchedConnection client = new WatchedConnection().opened(server.address(), 9, false)) {
      client.start(post(20), 1);
      client.expect("1 200");
    }
  }

  @Test
  void sharesTheConnectionsWindowAmongBodies() throws IOException {
    try (RawHttp2Server server =
            new RawHttp2Server(
                raw -> {
                  raw.open(INITIAL_WINDOW_SIZE, 1 << 20, MAX_FRAME_SIZE, 1 << 20);
                  assertEquals(65_535, raw.read(DATA).payload().length);
                  raw.send(WINDOW_UPDATE, 0, 0, 100_000);
                  RawHttp2Server.Frame one = raw.read(DATA);
                  RawHttp2Server.Frame other = raw.read(DATA);
                  assertEquals(4, one.streamId() + other.streamId());
                  assertEquals(100_000, one.payload().length + other.payload().length);
                  raw.send(WINDOW_UPDATE, 0, 0, 100_000);
                  assertEquals(END_STREAM, raw.read(DATA).flags());
                  raw.send(HEADERS, LAST, 1, OK);
                  raw.send(HEADERS, LAST, 3, OK);
                  raw.drain();
                });
        WatchedConnection client = new WatchedConnection().opened(server.address(), 9, false)) {
      client.start(post(90_000), 1, 2);
      client.expect("1 200", "2 200");
    }
  }

  @Test
  void splitsBodiesIntoFramesThatTheServerTakes() throws IOException {
    try (RawHttp2Server server =
            new RawHttp2Server(
                raw -> {
                  raw.open();
                  assertEquals(16_384, raw.read(DATA).payload().length);
                  assertEquals(16_384, raw.read(DATA).payload().length);
                  RawHttp2Server.Frame last = raw.read(DATA);
                  assertEquals(1, last.payload().length);
                  assertEquals(END_STREAM, last.flags());
                  raw.send(HEADERS, LAST, 1, OK);
                  raw.drain();
                });
        WatchedConnection client = new WatchedConnection().opened(server.address(), 9, false)) {
      client.start(post(32_769), 1);
      client.expect("1 200");
    }
  }

  @Test
  void splitsFieldsIntoFramesThatTheServerTakes() throws IOException {
    Request request =
        Http2RequestsTest.of(
            Http2RequestsTest.spec("GET", "/", null, new Field("x", "v".repeat(40_000))), "");
    try (RawHttp2Server server =
            new RawHttp2Server(
                raw -> {
                  raw.open();
                  RawHttp2Server.Frame first = raw.read(HEADERS);
                  assertEquals(END_STREAM, first.flags());
                  RawHttp2Server.Frame second = raw.read();
                  RawHttp2Server.Frame third = raw.read();
                  assertEquals(CONTINUATION, second.type());
                  assertEquals(0, second.flags());
                  assertEquals(END_HEADERS, third.flags());
                  int bytes =
                      first.payload().length + second.payload().length + third.payload().length;
                  assertEquals(40_000 * 7 / 8, bytes, 100, "v is of 7 bits");
                  raw.send(HEADERS, LAST, 1, OK);
                  raw.drain();
                });
        WatchedConnection client = new WatchedConnection().opened(server.address(), 9, false)) {
      client.start(request, 1);
      client.expect("1 200");
    }
  }

  @Test
  void tellsOnceThatASmallerTableOfFieldsWasUnderstood() throws IOException {
    try (RawHttp2Server server =
            new RawHttp2Server(
                raw -> {
                  raw.open(HEADER_TABLE_SIZE, 0);
                  assertEquals(0x20, raw.read(HEADERS).payload()[0]);
                  byte[] second = raw.read(HEADERS).payload();
                  assertEquals((byte) 0x82, second[0], "GET");
                  assertEquals(1, second[2], "nothing is indexed");
                  raw.send(HEADERS, LAST, 1, OK);
                  raw.send(HEADERS, LAST, 3, OK);
                  raw.drain();
                });
        WatchedConnection client = new WatchedConnection().opened(server.address(), 9, false)) {
      client.start(GET, 1, 2);
      client.expect("1 200", "2 200");
    }
  }

  @Test
  void givesUpTheBodyThatAnAnswerDidNotWaitFor() throws IOException {
    try (RawHttp2Server server =
            new RawHttp2Server(
                raw -> {
                  raw.open(INITIAL_WINDOW_SIZE, 10);
                  raw.read(DATA);
                  raw.send(HEADERS, LAST, 1, OK);
                  assertEquals(CANCEL, raw.read(RST_STREAM).asInt());
                  raw.send(RST_STREAM, 0, 1, 0);
                  raw.drain();
                });
        WatchedConnection client = new WatchedConnection().opened(server.address(), 9, false)) {
      client.start(post(20), 1);
      client.expect("1 200");
    }
  }

  @Test
  void cancelsWhatIsLate() throws IOException {
    try (RawHttp2Server server =
            new RawHttp2Server(
                raw -> {
                  raw.open();
                  raw.read(HEADERS);
                  RawHttp2Server.Frame reset = raw.read(RST_STREAM);
                  assertEquals(1, reset.streamId());
                  assertEquals(CANCEL, reset.asInt());
                  raw.drain();
                });
        WatchedConnection client = new WatchedConnection().opened(server.address(), 9, false)) {
      client.start(GET, 1);
      client.on(connection -> connection.expire(2));
      client.expect("1 timed out");
      client.expectRoom();
    }
  }

  /** Answers the first request with what breaks its stream alone, and the second well. */
  private static void assertBreaksItsStream(RawHttp2Server.Script answer) throws IOException {
    try (RawHttp2Server server =
            new RawHttp2Server(
                raw -> {
                  raw.open();
                  raw.read(HEADERS);
                  answer.run(raw);
                  assertEquals(PROTOCOL_ERROR, raw.read(RST_STREAM).asInt());
                  raw.read(HEADERS);
                  raw.send(HEADERS, LAST, 3, OK);
                  raw.drain();
                });
        WatchedConnection client = new WatchedConnection().opened(server.address(), 9, false)) {
      client.start(GET, 1);
      client.expect("1 malformed answer");
      client.start(GET, 2);
      client.expect("2 200");
    }
  }

  @Test
  void takesNoContentBeforeAStatus() throws IOException {
    assertBreaksItsStream(server -> server.send(DATA, END_STREAM, 1, new byte[3]));
  }

  @Test
  void takesNoAnswerWithoutAStatus() throws IOException {
    assertBreaksItsStream(server -> server.send(HEADERS, LAST, 1));
  }

  @Test
  void takesNoSecondStatus() throws IOException {
    assertBreaksItsStream(server -> server.send(HEADERS, LAST, 1, OK[0], OK[0]));
  }

  @Test
  void takesNoStatusThatIsNone() throws IOException {
    assertBreaksItsStream(
        server -> server.send(HEADERS, LAST, 1, new byte[] {8, 3, '2', 'x', '0'}));
    assertBreaksItsStream(
        server -> server.send(HEADERS, LAST, 1, new byte[] {8, 3, '6', '0', '0'}));
    assertBreaksItsStream(
        server -> server.send(HEADERS, LAST, 1, new byte[] {8, 4, '0', '2', '0', '0'}));
  }

  @Test
  void takesNoInformationalAnswerForTheLast() throws IOException {
    assertBreaksItsStream(
        server -> server.send(HEADERS, LAST, 1, new byte[] {8, 3, '1', '0', '0'}));
  }

  @Test
  void takesNoSecondHeadThatDoesNotEndTheAnswer() throws IOException {
    assertBreaksItsStream(
        server -> {
          server.send(HEADERS, END_HEADERS, 1, OK);
          server.send(HEADERS, END_HEADERS, 1);
        });
  }

  @Test
  void takesNoStatusInTrailers() throws IOException {
    assertBreaksItsStream(
        server -> {
          server.send(HEADERS, END_HEADERS, 1, OK);
          server.send(HEADERS, LAST, 1, OK);
        });
  }

  @Test
  void takesNoFieldNamesInUpperCase() throws IOException {
    assertBreaksItsStream(
        server -> server.send(HEADERS, LAST, 1, new byte[] {(byte) 0x88, 0, 1, 'X', 1, 'v'}));
  }

  /** Answers the request with what breaks the connection. */
  private static void assertBreaks(RawHttp2Server.Script answer, int error) throws IOException {
    assertTold(
        server -> {
          server.open();
          server.read(HEADERS);
          answer.run(server);
          assertEquals(error, server.read(GOAWAY).asInt());
          server.drain();
        },
        "1 malformed answer",
        "closed");
  }

  @Test
  void breaksOffWhereAFrameIsTooLarge() throws IOException {
    assertBreaks(server -> server.raw(new byte[] {0, 0x40, 1, 0, 0, 0, 0, 0, 1}), 6);
  }

  @Test
  void breaksOffWhereFieldsCannotBeDecoded() throws IOException {
    assertBreaks(server -> server.send(HEADERS, LAST, 1, (byte) 0xff, (byte) 0x7f), 9);
  }

  @Test
  void breaksOffWhereFieldsAreInterrupted() throws IOException {
    assertBreaks(
        server -> {
          server.send(HEADERS, 0, 1, OK);
          server.send(DATA, 0, 1);
        },
        PROTOCOL_ERROR);
  }

  @Test
  void breaksOffOverFramesOfIdleStreams() throws IOException {
    assertBreaks(server -> server.send(HEADERS, LAST, 3, OK), PROTOCOL_ERROR);
    assertBreaks(server -> server.send(HEADERS, LAST, 2, OK), PROTOCOL_ERROR);
    assertBreaks(server -> server.send(RST_STREAM, 0, 99, 0), PROTOCOL_ERROR);
  }

  @Test
  void breaksOffOverPushes() throws IOException {
    assertBreaks(
        server -> server.send(PUSH_PROMISE, END_HEADERS, 1, new byte[] {0, 0, 0, 2, (byte) 0x82}),
        PROTOCOL_ERROR);
  }

  @Test
  void breaksOffOverAWindowThatOverflows() throws IOException {
    assertBreaks(server -> server.send(WINDOW_UPDATE, 0, 0, Integer.MAX_VALUE), FLOW_CONTROL_ERROR);
  }

  @Test
  void saysThatAServerOfHttp1DoesNotSpeakHttp2() throws IOException {
    try (RawHttp2Server server =
            new RawHttp2Server(
                raw -> {
                  raw.raw(
                      "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"
                          .getBytes(StandardCharsets.US_ASCII));
                  raw.drain();
                });
        WatchedConnection client = new WatchedConnection().http2(server.address(), 9, false)) {
      client.expect(
          "refused: the server does not speak HTTP/2: it began with"
              + " \"HTTP/1.1 400 Bad Request Connection: close\"");
    }
  }

  @Test
  void saysThatTheServerClosedAConnectionThatNeverOpened() throws IOException {
    try (RawHttp2Server server = new RawHttp2Server(RawHttp2Server::preface);
        WatchedConnection client = new WatchedConnection().http2(server.address(), 9, false)) {
      assertTrue(client.next().startsWith("refused: "));
    }
  }
}

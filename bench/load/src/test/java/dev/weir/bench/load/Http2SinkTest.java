package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.weir.bench.origin.Http2Answer;
import dev.weir.bench.origin.Http2Sink;
import dev.weir.proxy.loop.Transport;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The harness's connection against the harness's server. */
class Http2SinkTest {
  private static final EventLoopGroup LOOPS =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private static final Request GET =
      Http2RequestsTest.of(Http2RequestsTest.spec("GET", "/", null), "");
  private static final Request CALL =
      Http2RequestsTest.call(Http2RequestsTest.spec("POST", "/a.B/C", new byte[3]), "");

  @AfterAll
  static void endAndFindNoLeak() throws InterruptedException {
    LOOPS.shutdownGracefully(0, 20, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private static Http2Sink answering(Http2Answer answer) {
    return new Http2Sink(LOOPS, Transport.NIO, Http2Sink.Behaviour.answering(answer));
  }

  @Test
  void tellsTheStatusOfEachRequestWithItsTimes() {
    try (Http2Sink sink = answering(Http2Answer.http(429, "no".getBytes(StandardCharsets.UTF_8)));
        WatchedConnection client = new WatchedConnection().opened(sink.address(), 4, false)) {
      client.start(GET, 11, 12);
      client.expect("11 429", "12 429");
      client.expectRoom();
    }
  }

  @Test
  void hasRoomForAsManyStreamsAsAsked() {
    try (Http2Sink sink = new Http2Sink(LOOPS, Transport.NIO, (peer, stream) -> {});
        WatchedConnection client = new WatchedConnection().opened(sink.address(), 2, false)) {
      client.start(GET, 1);
      assertEquals(true, client.hasRoom());
      client.start(GET, 2);
      assertFalse(client.hasRoom());
      assertEquals(2, client.inFlight());
    }
  }

  @Test
  void tellsBothStatusesOfACall() {
    try (Http2Sink sink = answering(Http2Answer.grpc(8, new byte[100]));
        WatchedConnection client = new WatchedConnection().opened(sink.address(), 4, true)) {
      client.start(CALL, 1);
      client.expect("1 200 grpc 8");
    }
  }

  @Test
  void tellsTheStatusOfACallAnsweredWithTrailersOnly() {
    try (Http2Sink sink = answering(Http2Answer.grpc(14));
        WatchedConnection client = new WatchedConnection().opened(sink.address(), 4, true)) {
      client.start(CALL, 1);
      client.expect("1 200 grpc 14");
    }
  }

  @Test
  void takesACallWithoutAStatusForUnknown() {
    Http2Answer[] answers = {
      Http2Answer.http(503, new byte[3]), Http2Answer.grpc(0), Http2Answer.http(504, new byte[0])
    };
    try (Http2Sink sink =
            new Http2Sink(
                LOOPS, Transport.NIO, (peer, stream) -> peer.answer(stream, answers[stream / 2]));
        WatchedConnection client = new WatchedConnection().opened(sink.address(), 4, true)) {
      client.start(CALL, 1, 2, 3);
      client.expect("1 503 grpc 2", "2 200 grpc 0", "3 504 grpc 2");
    }
  }

  @Test
  void carriesMoreRequestsThanItHasSlotsPastASlowOne() {
    Http2Answer answer = Http2Answer.http(200, Request.NO_BODY);
    AtomicInteger requests = new AtomicInteger();
    Http2Sink.Behaviour firstLast =
        (peer, stream) -> {
          if (requests.incrementAndGet() > 1) {
            peer.answer(stream, answer);
          }
          if (requests.get() == 20) {
            peer.answer(1, answer);
          }
        };
    try (Http2Sink sink = new Http2Sink(LOOPS, Transport.NIO, firstLast);
        WatchedConnection client = new WatchedConnection().opened(sink.address(), 2, false)) {
      client.start(GET, 7);
      for (int due = 102; due <= 120; due++) {
        client.start(GET, due);
        client.expect(due + " 200");
      }
      client.expect("7 200");
    }
  }

  @Test
  void givesUpWhatIsLateAndIgnoresItsAnswer() {
    Http2Answer answer = Http2Answer.http(200, new byte[10]);
    try (Http2Sink sink =
            new Http2Sink(
                LOOPS,
                Transport.NIO,
                (peer, stream) -> {
                  if (stream == 5) {
                    peer.answer(1, answer);
                    peer.answer(3, answer);
                    peer.answer(5, answer);
                  }
                });
        WatchedConnection client = new WatchedConnection().opened(sink.address(), 2, false)) {
      client.start(GET, 10, 20);
      client.on(connection -> connection.expire(20));
      client.expect("10 timed out");
      client.start(GET, 30);
      client.expect("20 200", "30 200");
      assertEquals(0, client.inFlight());
    }
  }

  @Test
  void sendsABodyLargerThanTheWindowThatThereIsAtFirst() {
    try (Http2Sink sink = answering(Http2Answer.http(201, Request.NO_BODY));
        WatchedConnection client = new WatchedConnection().opened(sink.address(), 4, false)) {
      Request post =
          Http2RequestsTest.of(Http2RequestsTest.spec("POST", "/", new byte[1_000_000]), "");
      client.start(post, 1, 1, 1);
      client.expect("1 201", "1 201", "1 201");
    }
  }

  @Test
  void sendsMoreThanTheSocketTakesAtOnce() {
    try (Http2Sink sink = answering(Http2Answer.http(201, Request.NO_BODY));
        WatchedConnection client = new WatchedConnection().opened(sink.address(), 9, false)) {
      Request post =
          Http2RequestsTest.of(Http2RequestsTest.spec("POST", "/", new byte[5_000_000]), "");
      client.start(post, 1, 1, 1, 1, 1, 1, 1);
      for (int i = 0; i < 7; i++) {
        client.expect("1 201");
      }
    }
  }

  @Test
  void tellsThatAStreamWasReset() {
    try (Http2Sink sink =
            new Http2Sink(LOOPS, Transport.NIO, (peer, stream) -> peer.reset(stream, 7));
        WatchedConnection client = new WatchedConnection().opened(sink.address(), 1, false)) {
      client.start(GET, 1);
      client.expect("1 stream reset");
      client.expectRoom();
      assertEquals(true, client.hasRoom());
    }
  }

  @Test
  void endsWithTheStreamsThatTheServerStillTakes() {
    Http2Answer answer = Http2Answer.http(200, new byte[10]);
    try (Http2Sink sink =
            new Http2Sink(
                LOOPS,
                Transport.NIO,
                (peer, stream) -> {
                  if (stream == 5) {
                    peer.goAway(3, 0);
                    peer.answer(1, answer);
                    peer.answer(3, answer);
                  }
                });
        WatchedConnection client = new WatchedConnection().opened(sink.address(), 9, false)) {
      client.start(GET, 1, 2, 3);
      client.expect("3 connection closed", "1 200", "2 200", "closed");
      assertFalse(client.hasRoom());
    }
  }

  @Test
  void failsWhatIsInFlightWhenTheServerCloses() {
    try (Http2Sink sink = new Http2Sink(LOOPS, Transport.NIO, (peer, stream) -> peer.close());
        WatchedConnection client = new WatchedConnection().opened(sink.address(), 9, false)) {
      client.start(GET, 1, 2);
      client.expect("1 connection closed", "2 connection closed", "closed");
    }
  }

  @Test
  void forgetsWhatIsInFlightWhenClosed() {
    try (Http2Sink sink = new Http2Sink(LOOPS, Transport.NIO, (peer, stream) -> {});
        WatchedConnection client = new WatchedConnection().opened(sink.address(), 9, false)) {
      client.start(GET, 1, 2);
      client.on(
          connection -> {
            connection.close();
            assertEquals(0, connection.inFlight());
            assertFalse(connection.hasRoom());
          });
    }
  }

  @Test
  void retiresBeforeTheIdentifiersRunOut() {
    try (Http2Sink sink = answering(Http2Answer.http(200, Request.NO_BODY));
        WatchedConnection client = new WatchedConnection()) {
      client
          .connect(
              sink.address(),
              new Http2Connection(
                  client, 1, false, AnswerFields.newBlock(), Integer.MAX_VALUE - 10),
              channel -> {})
          .expect("opened");
      for (int due = 1; client.hasRoom(); due++) {
        client.start(GET, due);
        client.expect(due + " 200");
      }
      client.expect("closed");
    }
  }
}

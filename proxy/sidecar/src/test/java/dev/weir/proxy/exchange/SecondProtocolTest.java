package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RecordingOrigin;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client's protocol that is not HTTP/1.1, the lines of {@link LineClient}, in front of a service
 * of HTTP/1.1: what every protocol has passes through the same {@code ProxiedRequest}.
 */
@Timeout(120)
class SecondProtocolTest extends LineProtocolTest {
  private static final int LARGE_BYTES = 8 * 1024 * 1024;

  /** What one read brings at most, with what was read before it. */
  private static final int HELD_BYTES = 256 * 1024;

  @Test
  void isDecidedAndServedLikeHttp1() throws Exception {
    LineClient client = client();
    client.send("GET /a -");
    assertLines(client, "head 200", "data origin", "end", "ended");
    String head = origin.nextRequest();
    assertTrue(head.startsWith("GET /a HTTP/1.1\r\nHost: line.example\r\nx-line: 1\r\n"), head);
    assertTrue(head.contains("\r\nX-Forwarded-For: 127.0.0.1\r\n"), head);
    assertEquals("COMPLETE 200 0 6", nextEnd());
    client.send("GET /b -");
    assertLines(client, "head 200", "data origin", "end", "ended");
    nextEnd();
    client.send("GET /c -");
    assertLines(client, "refused OVER_LIMIT");
    assertEquals("REFUSED_HERE 429 0 0", nextEnd());
    assertTrue(origin.nextRequest().startsWith("GET /b "));
    assertEquals(0, origin.requestCount());
  }

  @Test
  void isNotAskedForIfNobodyWaitsForIt() throws Exception {
    LineClient client = client();
    client.send("GET /a - 0");
    assertLines(client, "refused DEADLINE_EXCEEDED");
    assertEquals("TIMED_OUT 504 0 0", nextEnd());
    for (int passed = 0; passed < 2; passed++) { // both of the limit: the first was charged nothing
      client.send("GET /b -");
      assertLines(client, "head 200", "data origin", "end", "ended");
    }
    client.send("GET /c -");
    assertLines(client, "refused OVER_LIMIT");
  }

  @Test
  void waitsForTheServiceNoLongerThanTheClientDoes() throws Exception {
    origin.script(RecordingOrigin.Conversation::awaitEnd);
    LineClient client = client();
    client.send("GET /a - 5");
    assertLines(client, "refused DEADLINE_EXCEEDED");
    assertEquals("TIMED_OUT 504 0 0", nextEnd());
    assertTrue(wasForwarded);
  }

  @Test
  void cutsAResponseThatTakesLongerThanTheClientWaits() throws Exception {
    origin.script(
        service -> {
          service.head();
          service.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
          service.awaitEnd();
        });
    LineClient client = client();
    client.send("GET /a - 200");
    assertLines(client, "head 200", "data hello", "reset TIMED_OUT");
    assertEquals("TIMED_OUT 200 0 5", nextEnd());
  }

  @Test
  void waitsForABodyNoLongerThanTheClientDoes() throws Exception {
    LineClient client = client();
    client.send("POST /a 10 5");
    client.send("data hello");
    assertLines(client, "refused DEADLINE_EXCEEDED");
    assertEquals("TIMED_OUT 504 5 0", nextEnd());
    assertFalse(wasForwarded);
  }

  @Test
  void sendsABodyOfKnownLengthAsItIs() throws Exception {
    LineClient client = client();
    client.send("POST /a 10");
    client.send("data hello");
    assertEquals(0, origin.connectionCount()); // gathered first: nobody's connection waits for it
    client.send("data world");
    client.send("end");
    assertLines(client, "head 200", "data origin", "end", "ended");
    String request = origin.nextRequest();
    assertTrue(request.contains("\r\nContent-Length: 10\r\n"), request);
    assertTrue(request.endsWith("\r\n\r\nhelloworld"), request);
    assertEquals("COMPLETE 200 10 6", nextEnd());
    assertEquals(0, client.unconsumedBytes.get());
  }

  @Test
  void chunksABodyWhoseLengthOnlyItsEndTells() throws Exception {
    LineClient client = client();
    client.send("POST /a *");
    client.send("data hello");
    client.send("end");
    assertLines(client, "head 200", "data origin", "end", "ended");
    String request = origin.nextRequest();
    assertTrue(request.contains("\r\nTransfer-Encoding: chunked\r\n"), request);
    assertTrue(request.endsWith("\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), request);
  }

  @Test
  void endsABodyThatTurnsOutToBeEmpty() throws Exception {
    LineClient client = client();
    client.send("POST /a *");
    client.send("end");
    assertLines(client, "head 200", "data origin", "end", "ended");
    String request = origin.nextRequest();
    assertTrue(request.endsWith("\r\n\r\n0\r\n\r\n"), request);
    assertEquals("COMPLETE 200 0 6", nextEnd());
  }

  @Test
  void chunksWhatComesAfterTheConnectionToo() throws Exception {
    String enough = "x".repeat(16 * 1024);
    LineClient client = client();
    client.send("POST /a *");
    client.send("data " + enough);
    assertTrue(origin.nextHead().startsWith("POST /a "));
    client.send("data more");
    client.send("end");
    assertLines(client, "head 200", "data origin", "end", "ended");
    String request = origin.nextRequest();
    assertTrue(request.endsWith("\r\n4000\r\n" + enough + "\r\n4\r\nmore\r\n0\r\n\r\n"), request);
  }

  @Test
  void sendsTrailersBehindTheLastChunk() throws Exception {
    LineClient client = client();
    client.send("POST /a *", "data hello", "trailers x-sum=abc grpc-status=0");
    assertLines(client, "head 200", "data origin", "end", "ended");
    String request = origin.nextRequest();
    assertTrue(
        request.endsWith("\r\n\r\n5\r\nhello\r\n0\r\nx-sum: abc\r\ngrpc-status: 0\r\n\r\n"),
        request);
    assertEquals("COMPLETE 200 5 6", nextEnd());
    client.send("GET /b -"); // on the same connection: it ended where the framing said
    assertEquals("head 200", client.next());
    assertEquals(1, origin.connectionCount());
  }

  @Test
  void sendsTrailersThatComeAfterTheConnection() throws Exception {
    String enough = "x".repeat(16 * 1024);
    LineClient client = client();
    client.send("POST /a *");
    client.send("data " + enough);
    assertTrue(origin.nextHead().startsWith("POST /a "));
    client.send("trailers x-sum=abc");
    assertLines(client, "head 200", "data origin", "end", "ended");
    String request = origin.nextRequest();
    assertTrue(request.endsWith(enough + "\r\n0\r\nx-sum: abc\r\n\r\n"), request);
  }

  @Test
  void sendsTrailersOfABodyThatIsEmpty() throws Exception {
    LineClient client = client();
    client.send("POST /a *");
    client.send("trailers x-sum=abc");
    assertLines(client, "head 200", "data origin", "end", "ended");
    String request = origin.nextRequest();
    assertTrue(request.endsWith("\r\n\r\n0\r\nx-sum: abc\r\n\r\n"), request);
  }

  @Test
  void leavesOutTrailersThatFrameOrForgeARequest() throws Exception {
    LineClient client = client();
    client.send(
        "POST /a *",
        "data hello",
        "trailers content-length=7 transfer-encoding=chunked host=evil authorization=x "
            + "x-forged=a\r\n\r\nGET y\rz=1 =1 x-sum=");
    assertLines(client, "head 200", "data origin", "end", "ended");
    String request = origin.nextRequest();
    assertTrue(request.endsWith("\r\n5\r\nhello\r\n0\r\nx-sum: \r\n\r\n"), request);
    client.send("POST /b 5", "data hello", "trailers x-sum=abc");
    assertLines(client, "head 200", "data origin", "end", "ended");
    request = origin.nextRequest();
    assertTrue(request.endsWith("\r\n\r\nhello"), request); // its length is known: no place
    assertEquals(1, origin.connectionCount());
  }

  @Test
  void tellsTrailersApartFromData() throws Exception {
    origin.answer(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n"
            + "Grpc-Status: 0\r\nContent-Length: 7\r\nX-Sum:  abc \r\n\r\n");
    LineClient client = client();
    client.send("GET /a -");
    assertLines(
        client,
        "head 200",
        "data hello",
        "data  world",
        "trailers Grpc-Status=0 X-Sum=abc",
        "ended");
    assertEquals("COMPLETE 200 0 11", nextEnd());
    client.send("GET /b -"); // on the same connection: what was behind the data was read, too
    assertEquals("head 200", client.next());
    assertEquals(1, origin.connectionCount());
  }

  @Test
  void cutsABodyThatPausesUnlessItMay() throws Exception {
    String enough = "x".repeat(16 * 1024);
    LineClient client = client();
    client.send("POST /a * pauses");
    client.send("data " + enough);
    assertTrue(origin.nextHead().startsWith("POST /a "));
    LineClient other = client();
    other.send("POST /b *");
    other.send("data " + enough);
    assertTrue(origin.nextHead().startsWith("POST /b "));
    skip(61);
    assertLines(other, "refused BODY_TIMEOUT");
    client.send("end");
    assertLines(client, "head 200", "data origin", "end", "ended");
  }

  private void skip(int seconds) {
    skippedNs.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
  }

  @Test
  void tellsThatTheServiceHasBrokenOff() throws Exception {
    origin.script(
        conversation -> {
          conversation.request();
          conversation.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
          conversation.end();
        });
    LineClient client = client();
    client.send("GET /a -");
    assertLines(client, "head 200", "data half", "reset SERVICE_GONE");
    assertEquals("SERVICE_GONE 200 0 4", nextEnd());
    origin.script(RecordingOrigin.Conversation::end);
    client.send("GET /b -");
    assertLines(client, "refused UPSTREAM_CLOSED");
    assertEquals("SERVICE_GONE 502 0 0", nextEnd());
  }

  @Test
  void tellsOfARequestThatTheServiceKnowsThatItWasForwarded() throws Exception {
    LineClient client = client();
    // The connection is made in a later turn: what is cut off then, has been forwarded.
    client.send("POST /a *", "data " + "x".repeat(16 * 1024), "cut");
    assertLines(client, "refused INCOMPLETE_REQUEST");
    nextEnd();
    assertTrue(wasForwarded, "its head has gone to the service");
    client.send("POST /b *", "cut");
    assertLines(client, "refused INCOMPLETE_REQUEST");
    nextEnd();
    assertFalse(wasForwarded, "nothing has gone to the service");
  }

  @Test
  void endsTheExchangeOfAClientThatLeaves() throws Exception {
    CountDownLatch left = new CountDownLatch(1);
    origin.script(
        conversation -> {
          conversation.request();
          conversation.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
          conversation.awaitEnd();
          left.countDown();
        });
    LineClient client = client();
    client.send("GET /a -");
    assertLines(client, "head 200", "data half");
    client.send("cancel");
    assertTrue(left.await(60, TimeUnit.SECONDS), "the service's connection has not ended");
    assertEquals("CLIENT_GONE 200 0 4", nextEnd());
    origin.answer(RecordingOrigin.OK);
    client.send("GET /b -"); // and is free for the next
    assertLines(client, "head 200", "data origin", "end", "ended");
  }

  @Test
  void readsNoMoreFromTheServiceThanTheClientHasCreditFor() throws Exception {
    String large = "y".repeat(LARGE_BYTES);
    origin.answer("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE_BYTES + "\r\n\r\n" + large);
    LineClient client = new LineClient(eventLoop, clock, loop, 10);
    client.send("GET /a -");
    assertEquals("head 200", client.next());
    int came = client.next().length() - "data ".length();
    for (int turn = 0; turn < 500; turn++) { // the event loop would read on in any of them
      eventLoop.submit(() -> {}).syncUninterruptibly();
    }
    int held = client.heldBytes.get();
    assertTrue(held > 0 && held <= HELD_BYTES, held + " bytes held");
    client.send("credit " + LARGE_BYTES);
    while (came < LARGE_BYTES) {
      came += client.next().length() - "data ".length();
    }
    assertLines(client, "end", "ended");
    assertEquals("COMPLETE 200 0 " + LARGE_BYTES, nextEnd());
  }

  @Test
  void tellsWhatTheServiceHasNotConsumed() throws Exception {
    CountDownLatch reads = new CountDownLatch(1);
    origin.script(
        conversation -> {
          conversation.head();
          reads.await();
          for (long left = LARGE_BYTES; left > 0; left--) {
            conversation.read();
          }
          conversation.send(RecordingOrigin.OK);
        });
    LineClient client = client();
    client.send("POST /a " + LARGE_BYTES);
    String piece = "data " + "z".repeat(64 * 1024);
    int sent = 0;
    while (sent < LARGE_BYTES && client.unconsumedBytes.get() == 0) {
      client.send(piece);
      sent += 64 * 1024;
    }
    assertTrue(client.unconsumedBytes.get() > 0, "the service has taken it all, unread");
    reads.countDown();
    for (; sent < LARGE_BYTES; sent += 64 * 1024) {
      client.send(piece);
    }
    client.send("end");
    assertLines(client, "head 200", "data origin", "end", "ended");
    assertEquals(0, client.unconsumedBytes.get());
    assertEquals("COMPLETE 200 " + LARGE_BYTES + " 6", nextEnd());
  }
}

package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RecordingOrigin;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A rule whose cost is messages, of three in a year: a call takes one with each that it sends. */
@Timeout(120)
class CountedMessagesTest extends LineProtocolTest {
  private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello";

  private static final String LARGE_MESSAGE = "\0\0\0\100\0" + "x".repeat(16 * 1024);

  @Override
  String limit() {
    return "3/365d";
  }

  private static String message(String text) {
    return "\0\0\0\0" + (char) text.length() + text;
  }

  private static String messages(String... texts) {
    StringBuilder all = new StringBuilder();
    for (String text : texts) {
      all.append(message(text));
    }
    return all.toString();
  }

  @Test
  void aCallOfOneMessageTakesOne() throws Exception {
    LineClient client = client();
    for (int i = 0; i < 3; i++) {
      client.send("POST /messages *", "data " + message("a"), "end");
      assertLines(client, "head 200", "data origin", "end", "ended");
    }
    client.send("POST /messages *");
    assertLines(client, "refused OVER_LIMIT");
  }

  @Test
  void aStreamTakesOneWithEachMessage() throws Exception {
    LineClient client = client();
    client.send("POST /messages *", "data " + messages("a", "", "ccc"), "end");
    assertLines(client, "head 200", "data origin", "end", "ended");
    assertTrue(origin.nextRequest().contains(messages("a", "", "ccc")));
    client.send("GET /plain -");
    assertLines(client, "refused OVER_LIMIT");
  }

  @Test
  void aRefusedMessageEndsTheCallAndIsNotSentOn() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch cut = new CountDownLatch(1);
    StringBuffer came = new StringBuffer();
    origin.script(
        service -> {
          try {
            begun.countDown();
            for (int b = service.read(); b >= 0; b = service.read()) {
              came.append((char) b);
            }
          } finally {
            cut.countDown();
          }
        });
    LineClient client = client();
    client.send("POST /messages *", "data " + LARGE_MESSAGE);
    begun.await();
    client.send("data " + messages("b", "c", "Never"), "end");
    assertLines(client, "refused OVER_LIMIT");
    assertEquals("REFUSED_HERE 429 " + (LARGE_MESSAGE.length() + 22) + " 0", nextEnd());
    cut.await();
    assertFalse(came.toString().contains("Never"), came.toString());
  }

  @Test
  void aMessageRefusedBehindABegunResponseEndsItAsTheProtocolCan() throws Exception {
    origin.script(
        service -> {
          service.head();
          service.send(HEAD);
          service.awaitEnd();
        });
    LineClient client = client();
    client.send("POST /messages *", "data " + LARGE_MESSAGE); // so large that it is not gathered
    assertLines(client, "head 200", "data hello");
    client.send("data " + messages("b", "c"), "data " + message("d"));
    assertLines(client, "refused rest OVER_LIMIT");
    assertEquals("REFUSED_HERE 200 " + (LARGE_MESSAGE.length() + 18) + " 5", nextEnd());
  }

  @Test
  void prefixesAreFollowedHoweverTheyAreCut() throws Exception {
    LineClient client = client();
    client.send("POST /messages *");
    String all = messages("abc", "", "defg");
    for (int i = 0; i < all.length(); i++) {
      client.send("data " + all.charAt(i));
    }
    client.send("end");
    assertLines(client, "head 200", "data origin", "end", "ended");
    client.send("GET /plain -");
    assertLines(client, "refused OVER_LIMIT");
  }

  @Test
  void whatFollowsAMessageWaitsForItsVerdict() throws Exception {
    LineClient client = client();
    decideLate();
    client.send("POST /messages *", "data " + messages("a", "bb"), "data " + message("ccc"), "end");
    assertLines(client, "head 200", "data origin", "end", "ended");
    String request = origin.nextRequest();
    assertTrue(request.contains(message("a")), request);
    assertTrue(
        request.contains(messages("bb", "ccc")) || request.contains(message("ccc")), request);
    assertEquals(0, client.unconsumedBytes.get());
    client.send("GET /plain -");
    assertLines(client, "refused OVER_LIMIT");
  }

  @Test
  void trailersWaitBehindAMessage() throws Exception {
    LineClient client = client();
    decideLate();
    client.send("POST /messages *", "data " + messages("a", "bb"), "trailers x-sum=abc");
    assertLines(client, "head 200", "data origin", "end", "ended");
    String request = origin.nextRequest();
    assertTrue(request.endsWith("0\r\nx-sum: abc\r\n\r\n"), request);
  }

  @Test
  void aMessageRefusedLateEndsTheCallToo() throws Exception {
    LineClient client = client();
    decideLate();
    client.send("POST /messages *", "data " + messages("a", "b", "c", "d"), "data more", "end");
    assertLines(client, "refused OVER_LIMIT");
    assertEquals("REFUSED_HERE 429 28 0", nextEnd());
  }

  @Test
  void aClientThatLeavesWhileAMessageWaitsLeavesNothingBehind() throws Exception {
    LineClient client = client();
    decideLate();
    origin.script(RecordingOrigin.Conversation::awaitEnd);
    client.send("POST /messages *", "data " + LARGE_MESSAGE);
    client.send("data " + message("b"), "cancel");
    assertEquals("CLIENT_GONE 0 " + (LARGE_MESSAGE.length() + 6) + " 0", nextEnd());
  }

  @Test
  void contentThatIsNoMessageTakesWhatItsStartDoes() throws Exception {
    LineClient client = client();
    client.send("POST /plain *", "data {\"a\": \"" + "b".repeat(1000) + "\"}", "end");
    assertLines(client, "head 200", "data origin", "end", "ended");
    client.send("POST /plain *", "data " + "QUJD".repeat(1000), "end"); // base64
    assertLines(client, "head 200", "data origin", "end", "ended");
    client.send("GET /plain -");
    assertLines(client, "head 200", "data origin", "end", "ended");
  }
}

package dev.weir.proxy.http1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a response's head says, and what of it goes to the client. Texts have | for CRLF. */
class ResponseHeadTest {
  private static final String LENGTH_5 = "HTTP/1.1 200 OK|Content-Length: 5|";

  private final ResponseHead head = new ResponseHead(8);

  static List<String> malformed() {
    return List.of(
        LENGTH_5 + "Transfer-Encoding: chunked||",
        LENGTH_5 + "Content-Length: 5||",
        LENGTH_5 + "Content-Length: 6||",
        "HTTP/1.1 200 OK|Content-Length: 5, 5||",
        "HTTP/1.1 200 OK|Content-Length: +5||",
        "HTTP/1.1 200 OK|Content-Length: 0x5||",
        "HTTP/1.1 200 OK|Transfer-Encoding: gzip, chunked||",
        "HTTP/1.1 200 OK|Transfer-Encoding: xchunked||",
        "HTTP/1.1 200 OK|Transfer-Encoding : chunked||",
        "HTTP/1.0 200 OK|Transfer-Encoding: chunked||",
        LENGTH_5 + "A: b| c||",
        LENGTH_5 + "A: b\nC: d||",
        LENGTH_5 + "A: b\rC: d||",
        LENGTH_5 + "A: b\0c||",
        LENGTH_5 + "nocolon||",
        LENGTH_5 + "A : b||",
        LENGTH_5 + "Connection: a(||",
        "HTTP/1.1 200 OK\nContent-Length: 5\n\n",
        "HTTP/1.1 99 OK|Content-Length: 5||",
        "HTTP/1.1 600 OK|Content-Length: 5||",
        "HTTP/1.1 2000 OK|Content-Length: 5||",
        "HTTP/1.1 20 OK|Content-Length: 5||",
        "HTTP/1.2 200 OK|Content-Length: 5||",
        "HTTP/2.0 200 OK|Content-Length: 5||",
        " HTTP/1.1 200 OK|Content-Length: 5||",
        "hello",
        "||",
        LENGTH_5 + "A: b|".repeat(8) + '|');
  }

  @ParameterizedTest
  @MethodSource("malformed")
  void refuses(String text) {
    assertEquals(ResponseHead.MALFORMED, scanned(text));
  }

  /** A head that is cut is never taken for a whole one, nor for a malformed one. */
  @Test
  void awaitsTheRestOfAHead() {
    String whole = LENGTH_5 + "A: b||";
    for (int end = 0; end < whole.replace("|", "\r\n").length(); end++) {
      byte[] bytes = whole.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
      assertEquals(ResponseHead.INCOMPLETE, head.scan(new UnsafeBuffer(bytes), 0, end));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "HTTP/1.1 200 OK||, -1, false, true",
    "HTTP/1.1 200||, -1, false, true",
    "HTTP/1.1 200 OK|Content-Length: 0||, 0, false, false",
    "HTTP/1.0 200 OK|Content-Length: 5||, 5, false, false",
    "HTTP/1.1 200 OK|Transfer-Encoding: chunked||, -1, true, false"
  })
  void saysWhereTheBodyEnds(String text, long length, boolean chunked, boolean atClose) {
    scan(text);
    assertEquals(length, head.contentLength());
    assertEquals(chunked, head.chunked());
    assertEquals(atClose, head.closeDelimited());
  }

  @Test
  void hasNoBodyWhereNoneMayBe() {
    for (int status : new int[] {100, 101, 103, 204, 304}) {
      scan("HTTP/1.1 " + status + " x|Content-Length: 5||");
      assertTrue(head.bodyless(false), "" + status);
    }
    scan("HTTP/1.1 200 OK|Content-Length: 5||");
    assertFalse(head.bodyless(false));
    assertTrue(head.bodyless(true));
  }

  @ParameterizedTest
  @CsvSource({
    "HTTP/1.1 200 OK||, true",
    "HTTP/1.1 200 OK|Connection: close||, false",
    "HTTP/1.0 200 OK||, false",
    "HTTP/1.0 200 OK|Connection: keep-alive||, true"
  })
  void keepsAConnectionAsItsVersionSays(String text, boolean keeps) {
    scan(text);
    assertEquals(keeps, head.keepAlive());
  }

  @ParameterizedTest
  @CsvSource({
    "X-RateLimit-Remaining: 0|, 0",
    "x-ratelimit-remaining: 999999999999999999|, 999999999999999999",
    "X-RateLimit-Remaining: 1000000000000000000|, -1",
    "X-RateLimit-Remaining: -1|, -1",
    "X-RateLimit-Remaining:|, -1",
    "A: b|, -1"
  })
  void readsWhatIsLeftOfTheServicesOwnQuota(String fields, long remaining) {
    scan("HTTP/1.1 200 OK|" + fields + '|');
    assertEquals(remaining, head.rateLimitRemaining());
  }

  @Test
  void passesAllButTheConnectionsOwn() {
    assertEquals(
        "HTTP/1.1 200 Fine|Content-Length: 5|Set-Cookie: c|Trailer: x|Via: 1.1 weir||",
        written(
            "HTTP/1.0 200 Fine|Connection: Mine, Trailer|Content-Length: 5|Keep-Alive: 5|"
                + "Set-Cookie: c|Mine: x|Trailer: x|Upgrade: a||",
            true,
            true));
  }

  @Test
  void passesNoFramingWhereNoneMayBe() {
    assertEquals(
        "HTTP/1.1 204 |Via: 1.1 weir||", written("HTTP/1.1 204|Content-Length: 5||", true, true));
    assertEquals(
        "HTTP/1.1 103 Hints|Link: a|Via: 1.1 weir||",
        written("HTTP/1.1 103 Hints|Transfer-Encoding: chunked|Link: a||", true, true));
  }

  @Test
  void leavesOutFramingAndQuotaWhereTold() {
    String text = "HTTP/1.1 200 OK|Transfer-Encoding: chunked|X-RateLimit-Limit: 1|A: b||";
    assertEquals("HTTP/1.1 200 OK|A: b|Via: 1.1 weir||", written(text, false, false));
    assertEquals(text.replace("||", "|Via: 1.1 weir||"), written(text, true, true));
  }

  private String written(String text, boolean keepTransferEncoding, boolean keepRateLimit) {
    scan(text);
    byte[] bytes = text.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    head.source().set(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
    ByteBuf out = Unpooled.buffer();
    ResponseHeadWriter.write(head, keepTransferEncoding, keepRateLimit, out);
    ResponseHeadWriter.end(out);
    return out.toString(StandardCharsets.ISO_8859_1).replace("\r\n", "|");
  }

  private void scan(String text) {
    assertEquals(text.replace("|", "\r\n").length(), scanned(text), text);
  }

  private int scanned(String text) {
    byte[] bytes = text.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    return head.scan(new UnsafeBuffer(bytes), 0, bytes.length);
  }
}

package dev.weir.proxy.http1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.Peer;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class HeadEndTest {
  private static final String VALID =
      "GET /a?b HTTP/1.1\r\nHost: a\r\nA:\tb\r\nAccept: */*\r\nContent-Length: 5\r\n\r\n";

  private static final List<String> HEADS =
      List.of(
          VALID,
          VALID + "12345" + VALID,
          "GET / HTTP/1.1\r\nHost: a\r\n" + "X: y\r\n".repeat(90) + "\r\n",
          "GET / HTTP/1.1\r\nHost: a\r\nX: " + "y".repeat(5_000) + "\r\n\r\n",
          "GET / HTTP/1.0\r\n\r\n\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a\r\n" + "X: y\r\n".repeat(100) + "\r\n",
          "GET /" + "a".repeat(9_000) + " HTTP/1.1\r\n",
          "GET / HTTP/1.1\nHost: a\n\n",
          "GET / HTTP/1.1\r\nHost: a\r\nX: y\nZ: a\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a\r\nX: y\rZ: a\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a\r\nX: y\0\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a\r\n\rX",
          "GET / HTTP/1.1\r\nHost: a\r\n folded: b\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
          "SSH-2.0-OpenSSH_9.0\r\n",
          "\u0016\u0003\u0001\u0002");

  private final RequestHead head = new RequestHead(100, 8 << 10);
  private int scanCount;

  private int scan(DirectBuffer bytes, int length) {
    scanCount++;
    return head.scan(bytes, 0, length, Peer.LOOPBACK);
  }

  /** What comes of a head whose first bytes come as {@code first}, and the rest one by one. */
  private int scanInPieces(HeadEnd end, DirectBuffer bytes, int first) {
    end.reset();
    int result = RequestHead.INCOMPLETE;
    for (int length = first; result == 0 && length <= bytes.capacity(); length++) {
      if (end.isDue(bytes, length)) {
        result = scan(bytes, length);
        if (result == RequestHead.INCOMPLETE) {
          end.incomplete(bytes, length);
        } else if (result > 0) {
          assertEquals(length, Math.max(first, result), "as soon as it is whole");
        }
      }
    }
    return result;
  }

  @Test
  void findsInPiecesWhatItFindsAtOnce() {
    HeadEnd end = new HeadEnd();
    for (String text : HEADS) {
      UnsafeBuffer bytes = new UnsafeBuffer(text.getBytes(StandardCharsets.ISO_8859_1));
      int whole = scan(bytes, bytes.capacity());
      Object fault = head.fault();
      for (int first = 1; first <= text.length(); first += text.length() > 1_000 ? 97 : 1) {
        assertEquals(whole, scanInPieces(end, bytes, first), () -> text);
        assertEquals(fault, head.fault(), () -> text);
      }
    }
  }

  @Test
  void findsTheSameInRandomPieces() {
    HeadEnd end = new HeadEnd();
    for (long seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      byte[] text = HEADS.get(random.nextInt(5)).getBytes(StandardCharsets.ISO_8859_1);
      for (int i = random.nextInt(4); i > 0; i--) {
        text[random.nextInt(text.length)] = (byte) "\r\n\0\t: aZ\u007f".charAt(random.nextInt(9));
      }
      UnsafeBuffer bytes = new UnsafeBuffer(text);
      int whole = scan(bytes, text.length);
      Object fault = head.fault();
      end.reset();
      int result = RequestHead.INCOMPLETE;
      for (int length = 0; result == 0 && length < text.length; ) {
        length = Math.min(text.length, length + 1 + random.nextInt(40));
        if (end.isDue(bytes, length)) {
          result = scan(bytes, length);
          if (result == RequestHead.INCOMPLETE) {
            end.incomplete(bytes, length);
          }
        }
      }
      // What cannot be told from a head that goes on is refused once there is more of it.
      if (result != RequestHead.INCOMPLETE || whole > 0) {
        assertEquals(whole, result, "seed " + seed);
        assertEquals(fault, head.fault(), "seed " + seed);
      }
    }
  }

  @Test
  void looksAtEachByteAFewTimesHoweverManyPieces() {
    String[] heads = {
      "GET / HTTP/1.1\r\nHost: a\r\nX: " + "y".repeat(30_000) + "\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n" + ("X: " + "y".repeat(300) + "\r\n").repeat(97) + "\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n" + "x".repeat(30_000) + ": y\r\n\r\n"
    };
    for (String text : heads) {
      UnsafeBuffer bytes = new UnsafeBuffer(text.getBytes(StandardCharsets.ISO_8859_1));
      long[] looked = {0};
      DirectBuffer counted = counting(bytes, looked);
      HeadEnd end = new HeadEnd();
      scanCount = 0;
      long scanned = 0;
      int result = RequestHead.INCOMPLETE;
      for (int length = 1; result == RequestHead.INCOMPLETE; length++) {
        if (end.isDue(counted, length)) {
          result = scan(bytes, length);
          scanned += length;
          if (result == RequestHead.INCOMPLETE) {
            end.incomplete(counted, length);
          }
        }
      }
      assertEquals(text.length(), result);
      long total = looked[0] + scanned;
      assertTrue(total <= 5L * text.length(), total + " bytes of " + text.length());
      assertTrue(scanCount < 20, scanCount + " scans");
    }
  }

  /** Counts the bytes that are read. */
  private static DirectBuffer counting(DirectBuffer bytes, long[] count) {
    return (DirectBuffer)
        Proxy.newProxyInstance(
            HeadEndTest.class.getClassLoader(),
            new Class<?>[] {DirectBuffer.class},
            (self, method, args) -> {
              count[0] += method.getName().equals("getLong") ? Long.BYTES : 1;
              return method.invoke(bytes, args);
            });
  }
}

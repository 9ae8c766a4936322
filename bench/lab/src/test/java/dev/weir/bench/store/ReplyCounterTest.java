package dev.weir.bench.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.store.ClosedLoop.ReplyCounter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ReplyCounterTest {
  // Two of these are errors: one in an array.
  private static final String[] REPLIES = {
    "+OK\r\n",
    ":-12\r\n",
    "$5\r\na\r\n-b\r\n",
    "$0\r\n\r\n",
    "$-1\r\n",
    "*0\r\n",
    "*-1\r\n",
    "*3\r\n:1\r\n*2\r\n$1\r\n*\r\n-ERR in 2 of 3\r\n+x\r\n",
    "-NOSCRIPT 12\r\n",
    ":7\r\n"
  };

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void countsTheSameHoweverRepliesAreCut() {
    final byte[] all = bytes(String.join("", REPLIES));
    for (int size = 1; size <= all.length; size++) {
      final ReplyCounter counter = new ReplyCounter();
      int replies = 0;
      for (int at = 0; at < all.length; at += size) {
        replies += counter.consume(ByteBuffer.wrap(all, at, Math.min(size, all.length - at)));
      }
      assertEquals(REPLIES.length, replies, "cut every " + size + " bytes");
      assertEquals(2, counter.errors(), "cut every " + size + " bytes");
    }
  }

  @Test
  void countsAReplyWithItsLastByte() {
    for (String reply : REPLIES) {
      final ReplyCounter counter = new ReplyCounter();
      final byte[] all = bytes(reply);
      assertEquals(0, counter.consume(ByteBuffer.wrap(all, 0, all.length - 1)), reply);
      assertEquals(1, counter.consume(ByteBuffer.wrap(all, all.length - 1, 1)), reply);
    }
  }
}

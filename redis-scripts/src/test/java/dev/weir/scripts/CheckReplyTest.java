package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class CheckReplyTest {
  @Test
  void readsWhereTheReplyLiesWhateverTheBuffer() {
    for (ByteBuffer buffer :
        new ByteBuffer[] {ByteBuffer.allocate(200), ByteBuffer.allocateDirect(200)}) {
      buffer.order(ByteOrder.LITTLE_ENDIAN).position(3);
      buffer.putDouble(1_700_000_000_000_000.0);
      for (int check = 0; check < 2; check++) {
        buffer.put((byte) (check == 0 ? 0 : 17)).put((byte) 7);
        for (int i = 0; i < 6; i++) {
          buffer.putDouble(10 * check + i - 1);
        }
      }
      buffer.flip().position(3).order(ByteOrder.BIG_ENDIAN);
      final CheckReply reply = new CheckReply().wrap(buffer, 2);
      assertEquals(3, buffer.position());
      assertEquals(1_700_000_000_000_000L, reply.nowUs());
      assertEquals(CheckReply.GRANTED, reply.status(1));
      assertTrue(reply.replayed(1) && !reply.replayed(0));
      assertEquals(7, reply.limitIndex(1));
      assertEquals(-1, reply.granted(0));
      assertEquals(9, reply.granted(1));
      assertEquals(10, reply.remaining(1));
      assertEquals(11, reply.capacity(1));
      assertEquals(12, reply.resetAtUs(1));
      assertEquals(13, reply.retryAfterUs(1));
      assertEquals(14, reply.waitUs(1));
    }
  }

  @Test
  void refusesALengthThatIsNotThatOfTheChecks() {
    final String message =
        assertThrows(
                IllegalArgumentException.class,
                () -> new CheckReply().wrap(ByteBuffer.allocate(107), 2))
            .getMessage();
    assertEquals("reply: 107 bytes (expected: 108)", message);
  }
}

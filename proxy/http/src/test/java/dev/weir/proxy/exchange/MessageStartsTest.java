package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessageStartsTest {
  private final MessageStarts starts = new MessageStarts();

  @Test
  void findsWhereEachMessageBeginsWhateverTheBytesAndTheCuts() {
    Random random = new Random(3);
    for (int run = 0; run < 500; run++) {
      ByteBuf body = Unpooled.buffer();
      List<Integer> begins = new ArrayList<>();
      int count = 1 + random.nextInt(20);
      for (int i = 0; i < count; i++) {
        begins.add(body.writerIndex());
        byte[] message = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(700)];
        random.nextBytes(message);
        body.writeByte(random.nextInt()).writeInt(message.length).writeBytes(message);
      }
      assertEquals(begins, begins(body, random));
    }
  }

  private List<Integer> begins(ByteBuf body, Random random) {
    List<Integer> found = new ArrayList<>(List.of(0));
    starts.begin();
    for (int from = 0; from < body.writerIndex(); ) {
      int to = Math.min(body.writerIndex(), from + 1 + random.nextInt(64));
      int at = starts.next(body, from, to);
      while (at < to) {
        found.add(at);
        starts.begin();
        at = starts.next(body, at, to);
      }
      from = to;
    }
    return found;
  }

  @Test
  void aLengthOfMoreThanTwoGigabytesIsNoNegativeOne() {
    starts.begin();
    ByteBuf prefix = Unpooled.buffer().writeByte(0).writeInt(0x8000_0001);
    assertEquals(5, starts.next(prefix, 0, 5));
    ByteBuf much = Unpooled.wrappedBuffer(new byte[1 << 20]);
    for (int i = 0; i < 2048; i++) {
      assertEquals(1 << 20, starts.next(much, 0, 1 << 20));
    }
    assertEquals(1, starts.next(much, 0, 1 << 20));
  }
}

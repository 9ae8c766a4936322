package dev.weir.bench.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class CommandsTest {
  private static final String TEN = "*2\r\n$3\r\nGET\r\n$10\r\n0123456789\r\n";

  private final Commands commands = new Commands(4096);

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  @Test
  void encodesArraysOfBulkStrings() {
    commands.command(2).part("GET").part("0123456789");
    commands.command(1).part("");
    assertEquals(TEN, text(commands.copy(0)));
    assertEquals("*1\r\n$0\r\n\r\n", text(commands.copy(1)));
  }

  @Test
  void selectsNeighboursAsOneSlice() {
    for (int i = 0; i < 3; i++) {
      commands.command(2).part("GET").part("0123456789");
    }
    final ByteBuffer view = commands.view();
    commands.select(view, 1, 2);
    final byte[] two = new byte[view.remaining()];
    view.get(two);
    assertEquals(TEN + TEN, text(two));
  }

  @Test
  void encodesLengthsOfEveryNumberOfDigits() {
    for (int length : new int[] {9, 10, 99, 100, 101, 999, 1000, 1001}) {
      commands.clear();
      commands.command(1).part(new byte[length]);
      assertEquals("*1\r\n$" + length + "\r\n", text(commands.copy(0)).replaceAll("\0+\r\n$", ""));
    }
  }

  @Test
  void keepsMoreCommandsThanItBeganWith() {
    final int many = 10_000;
    final Commands more = new Commands(many * 16);
    for (int i = 0; i < many; i++) {
      more.command(1).part(Integer.toString(i));
    }
    assertEquals(many, more.count());
    assertEquals("*1\r\n$4\r\n9999\r\n", text(more.copy(9999)));
  }
}

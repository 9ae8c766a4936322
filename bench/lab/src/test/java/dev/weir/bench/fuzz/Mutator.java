package dev.weir.bench.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Makes inputs of others: a few small changes each, of the kinds at which parsers stumble. */
final class Mutator {
  private static final int MAX_CHANGES = 4;

  private static final byte[][] PIECES = {
    bytes("\r\n"),
    bytes("\n"),
    bytes("\r\n\r\n"),
    bytes("0\r\n\r\n"),
    bytes("ffffffffffffffff"),
    bytes(": "),
    bytes(" "),
    bytes("\t"),
    bytes(";"),
    bytes(","),
    bytes("\0"),
    bytes("Host: a\r\n"),
    bytes("Content-Length: 5\r\n"),
    bytes("Transfer-Encoding: chunked\r\n"),
    bytes("Connection: close, x\r\n"),
    bytes("HTTP/1.1"),
    bytes("/../"),
    bytes("%2e"),
    bytes("%2F"),
    bytes("::"),
    bytes("255."),
    bytes("99999999999999999999"),
    {0, 0, 0, 0, 0, 0, 0, 0, 1},
    {-1, -1, -1, -1, 15},
    {(byte) 0x82, (byte) 0xbe},
    {0x3f, (byte) 0xe1, 0x1f},
    {0x20},
    {0x40, 1, 'a', 1, 'b'},
  };

  private final Random random;
  private final List<byte[]> corpus;

  Mutator(Random random, List<byte[]> corpus) {
    this.random = random;
    this.corpus = corpus;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The next input. */
  byte[] next() {
    byte[] input = any();
    for (int change = random.nextInt(MAX_CHANGES); change >= 0; change--) {
      input = changed(input);
    }
    return input;
  }

  private byte[] any() {
    return corpus.get(random.nextInt(corpus.size()));
  }

  private byte[] changed(byte[] input) {
    int at = random.nextInt(input.length + 1);
    int end = Math.min(input.length, at + 1 + random.nextInt(8));
    return switch (random.nextInt(6)) {
      case 0 -> spliced(input, at, new byte[0], end);
      case 1 -> spliced(input, at, PIECES[random.nextInt(PIECES.length)], at);
      case 2 -> spliced(input, at, PIECES[random.nextInt(PIECES.length)], end);
      case 3 -> spliced(input, end, part(input, at, end), end);
      case 4 -> {
        byte[] other = any();
        int from = random.nextInt(other.length + 1);
        yield spliced(input, at, part(other, from, other.length), input.length);
      }
      default -> {
        byte[] flipped = input.clone();
        if (at < flipped.length) {
          flipped[at] ^= (byte) (1 << random.nextInt(8));
        }
        yield flipped;
      }
    };
  }

  private static byte[] part(byte[] input, int from, int to) {
    return Arrays.copyOfRange(input, from, to);
  }

  /** The input with {@code piece} in the place of what is from {@code at} to {@code end}. */
  private static byte[] spliced(byte[] input, int at, byte[] piece, int end) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(input, 0, at);
    out.writeBytes(piece);
    out.write(input, end, input.length - end);
    return out.toByteArray();
  }
}

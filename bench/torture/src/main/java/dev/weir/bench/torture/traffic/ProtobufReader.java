package dev.weir.bench.torture.traffic;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads the fields of a message of protobuf one by one: numbers, and what has a length. */
final class ProtobufReader {
  private static final int VARINT = 0;
  private static final int LENGTH_DELIMITED = 2;

  private final ByteBuffer in;
  private long number;
  private ByteBuffer bytes;

  ProtobufReader(ByteBuffer in) {
    this.in = in;
  }

  /**
   * The next field's number; 0 at the end.
   *
   * @throws IOException if it is of a kind that no answer has.
   */
  int next() throws IOException {
    if (!in.hasRemaining()) {
      return 0;
    }
    final long tag = varint();
    switch ((int) (tag & 7)) {
      case VARINT -> number = varint();
      case LENGTH_DELIMITED -> {
        final int length = (int) varint();
        bytes = in.slice(in.position(), length);
        in.position(in.position() + length);
      }
      default -> throw new IOException("a field of kind " + (tag & 7));
    }
    return (int) (tag >>> 3);
  }

  private long varint() {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      final byte next = in.get();
      value |= (long) (next & 127) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }

  /** The present field's value, of a number. */
  long number() {
    return number;
  }

  /** The present field's value, of a message or a text. */
  ByteBuffer bytes() {
    return bytes;
  }
}

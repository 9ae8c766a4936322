package dev.weir.proxy.grpc;

import static dev.weir.proxy.exchange.TextWriter.ascii;

import dev.weir.proxy.http2.hpack.HpackEncoder;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/** The fields of a refusal whose values are each call's: their names, in either form. */
enum GrpcField {
  DETAILS("grpc-status-details-bin"),
  PUSHBACK("grpc-retry-pushback-ms"),
  RATELIMIT("ratelimit"),
  X_RATELIMIT_REMAINING("x-ratelimit-remaining"),
  X_RATELIMIT_RESET("x-ratelimit-reset");

  /** The notation of fields. */
  enum Form {
    /** A field block of HTTP/2. */
    BLOCK,
    /** Lines of HTTP/1.1, and of the trailers in a body of gRPC-Web. */
    LINES
  }

  private static final byte[] CRLF = ascii("\r\n");
  private static final int LENGTH_PREFIX = 127;

  private final byte[] literal;
  private final byte[] line;

  GrpcField(String name) {
    byte[] empty = new HpackEncoder().add(name, "").bytes();
    literal = Arrays.copyOf(empty, empty.length - 1);
    line = ascii(name + ": ");
  }

  /**
   * Appends the field, and all of {@code value} as it is.
   *
   * @param value has an array: of another buffer's bytes a view would be made.
   */
  void write(ByteBuf out, Form form, ByteBuf value) {
    int length = value.readableBytes();
    switch (form) {
      case BLOCK -> {
        out.writeBytes(literal);
        writeLength(out, length);
        out.writeBytes(value.array(), value.arrayOffset() + value.readerIndex(), length);
      }
      case LINES -> {
        out.writeBytes(line);
        out.writeBytes(value.array(), value.arrayOffset() + value.readerIndex(), length);
        out.writeBytes(CRLF);
      }
    }
  }

  /** RFC 7541, section 5.1, of a string that is not Huffman coded. */
  private static void writeLength(ByteBuf out, int length) {
    if (length < LENGTH_PREFIX) {
      out.writeByte(length);
      return;
    }
    out.writeByte(LENGTH_PREFIX);
    int rest = length - LENGTH_PREFIX;
    for (; rest >= 128; rest >>>= 7) {
      out.writeByte(rest & 127 | 128);
    }
    out.writeByte(rest);
  }

  /** Fields that are always the same, in a form. */
  static byte[] encode(Form form, String... namesAndValues) {
    HpackEncoder block = new HpackEncoder();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      block.add(namesAndValues[i], namesAndValues[i + 1]);
      lines.append(namesAndValues[i]).append(": ").append(namesAndValues[i + 1]).append("\r\n");
    }
    return switch (form) {
      case BLOCK -> block.bytes();
      case LINES -> ascii(lines.toString());
    };
  }
}

package dev.weir.proxy.store;

import io.netty.buffer.ByteBuf;

/** Writes calls in RESP 2, without a byte array for each part. */
final class Resp {
  static final byte[] CRLF = {'\r', '\n'};

  private Resp() {}

  /** Writes the head of an array. */
  static void array(ByteBuf out, int length) {
    out.writeByte('*');
    number(out, length);
  }

  static void bulk(ByteBuf out, byte[] bytes, int offset, int length) {
    bulkHead(out, length);
    out.writeBytes(bytes, offset, length).writeBytes(CRLF);
  }

  static void bulkHead(ByteBuf out, int length) {
    out.writeByte('$');
    number(out, length);
  }

  /** Writes a number as a bulk string. */
  static void bulkNumber(ByteBuf out, int value) {
    bulkHead(out, digits(value));
    number(out, value);
  }

  private static int digits(int value) {
    return value < 10 ? 1 : 1 + digits(value / 10);
  }

  private static void number(ByteBuf out, int value) {
    int count = digits(value);
    int at = out.writerIndex();
    out.writeZero(count);
    for (int i = at + count - 1, rest = value; i >= at; i--, rest /= 10) {
      out.setByte(i, '0' + rest % 10);
    }
    out.writeBytes(CRLF);
  }
}

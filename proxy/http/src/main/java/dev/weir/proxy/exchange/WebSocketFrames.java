package dev.weir.proxy.exchange;

import io.netty.buffer.ByteBuf;

/**
 * Follows the frames that a service sends through a WebSocket (RFC 6455, section 5.2), as a frame
 * of the proxy may stand only between two of them. Reads opcode and length, and skips payloads.
 */
final class WebSocketFrames {
  private static final int LENGTH_MASK = 0x7f;
  private static final int MASKED = 0x80;
  private static final int OPCODE_MASK = 0x0f;
  private static final int CLOSE = 0x8;
  private static final int SHORT_LENGTH = 126;
  private static final int LONG_LENGTH = 127;

  private enum Expecting {
    OPCODE,
    LENGTH,
    /** The rest of a length of 2 or 8 bytes. */
    MORE_LENGTH,
    PAYLOAD,
    /** No frame follows: the last one closed the WebSocket, or was malformed. */
    NOTHING
  }

  private Expecting expecting = Expecting.OPCODE;
  private boolean closes;
  private int lengthBytesLeft;
  private long length;

  /** Whether a frame may be inserted here: one has ended, and it was not the last. */
  boolean isBetweenFrames() {
    return expecting == Expecting.OPCODE;
  }

  /** Follows bytes, which stay the caller's. */
  void follow(ByteBuf bytes) {
    follow(bytes, false);
  }

  /**
   * Follows bytes, which stay the caller's, up to where a frame ends.
   *
   * @return how many of them are followed.
   */
  int followToEnd(ByteBuf bytes) {
    return follow(bytes, true);
  }

  private int follow(ByteBuf bytes, boolean stopsBetweenFrames) {
    int from = bytes.readerIndex();
    int end = bytes.writerIndex();
    int at = from;
    while (at < end) {
      switch (expecting) {
        case OPCODE -> {
          if (stopsBetweenFrames) {
            return at - from;
          }
          closes = (bytes.getByte(at++) & OPCODE_MASK) == CLOSE;
          expecting = Expecting.LENGTH;
        }
        case LENGTH -> length(bytes.getByte(at++));
        case MORE_LENGTH -> {
          length = length << Byte.SIZE | bytes.getByte(at++) & 0xff;
          if (--lengthBytesLeft == 0) {
            payload();
          }
        }
        case PAYLOAD -> {
          int skipped = (int) Math.min(length, end - at);
          at += skipped;
          length -= skipped;
          if (length == 0) {
            frameEnded();
          }
        }
        case NOTHING -> at = end;
      }
    }
    return end - from;
  }

  private void length(byte b) {
    int said = b & LENGTH_MASK;
    if ((b & MASKED) != 0) {
      expecting = Expecting.NOTHING; // a service masks none
    } else if (said < SHORT_LENGTH) {
      length = said;
      payload();
    } else {
      lengthBytesLeft = said == LONG_LENGTH ? Long.BYTES : Short.BYTES;
      length = 0;
      expecting = Expecting.MORE_LENGTH;
    }
  }

  private void payload() {
    if (length < 0) {
      expecting = Expecting.NOTHING;
    } else if (length == 0) {
      frameEnded();
    } else {
      expecting = Expecting.PAYLOAD;
    }
  }

  private void frameEnded() {
    expecting = closes ? Expecting.NOTHING : Expecting.OPCODE;
  }
}

package dev.weir.bench.store;

import java.nio.ByteBuffer;

/** Counts whole RESP2 replies in a stream, however it is cut. One per connection and thread. */
final class ReplyCounter {
  private int type;
  private long number;
  private boolean negative;
  private long skip;
  // Elements until the reply is whole: arrays add theirs.
  private long missing = 1;
  private int replies;
  private long errors;

  /** Takes all bytes; returns how many replies ended among them. */
  int consume(ByteBuffer in) {
    replies = 0;
    while (in.hasRemaining()) {
      if (skip > 0) {
        final int step = (int) Math.min(skip, in.remaining());
        in.position(in.position() + step);
        skip -= step;
        if (skip == 0) {
          elementEnds();
        }
      } else {
        next(in.get());
      }
    }
    return replies;
  }

  private void next(byte b) {
    if (type == 0) {
      type = b;
      number = 0;
      negative = false;
    } else if (b == '\n') {
      lineEnds();
    } else if (b == '-') {
      negative = true;
    } else if (b >= '0' && b <= '9') {
      number = number * 10 + b - '0';
    }
  }

  private void lineEnds() {
    if (type == '$' && !negative) {
      skip = number + 2;
    } else {
      if (type == '*' && !negative) {
        missing += number;
      } else if (type == '-') {
        errors++;
      }
      elementEnds();
    }
    type = 0;
  }

  private void elementEnds() {
    if (--missing == 0) {
      replies++;
      missing = 1;
    }
  }

  /** Error replies so far, those within arrays too. */
  long errors() {
    return errors;
  }
}

package dev.weir.proxy.request;

import io.netty.buffer.ByteBuf;
import java.util.SplittableRandom;

/** Makes ids of requests: 32 hexadecimal digits, half of them the maker's. One per writer. */
public final class RequestIds {
  /** The bytes of an id. */
  public static final int BYTES = 32;

  private final long prefix = new SplittableRandom().nextLong();
  private long count;

  /** Makes another id. */
  public void next() {
    count++;
  }

  /** Appends the id that was made last. */
  public void write(ByteBuf out) {
    TextWriter.writeHexDigits(out, prefix);
    TextWriter.writeHexDigits(out, count);
  }
}

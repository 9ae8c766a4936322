package dev.weir.proxy.exchange;

import io.netty.buffer.ByteBuf;
import java.util.SplittableRandom;

/**
 * The names that requests get which came without one: 32 hexadecimal digits, each once. One per
 * event loop.
 */
public final class RequestIds {
  /** How long each is, in bytes. */
  public static final int BYTES = 32;

  private final long prefix = new SplittableRandom().nextLong();
  private long count;

  /** Appends the next one. */
  public void writeNext(ByteBuf out) {
    TextWriter.writeHexDigits(out, prefix);
    TextWriter.writeHexDigits(out, ++count);
  }
}

package dev.weir.scripts;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads the reply of {@link LuaScript#CHECK} where it lies, check by check in the order of the
 * call. A view over one buffer, made once per receive buffer; owned by one thread.
 */
public final class CheckReply {
  /** {@link #retryAfterUs}: no wait lets it pass. */
  public static final long NEVER = -1;

  /** {@link #status}: see {@code check.lua}. */
  public static final int REFUSED = 0;

  public static final int GRANTED = 1;
  public static final int DONE = 2;
  public static final int NOTHING = 3;

  /** A key holds what is not ours; nothing of this check was changed. */
  public static final int FOREIGN = 4;

  private static final int HEAD_BYTES = 8;
  private static final int CHECK_BYTES = 50;

  private final ByteBuffer buffer;

  /**
   * @param reply the bulk string's bytes.
   * @throws IllegalArgumentException if their number cannot be that of {@code checks} checks.
   */
  public CheckReply(byte[] reply, int checks) {
    if (reply.length != HEAD_BYTES + checks * CHECK_BYTES) {
      throw new IllegalArgumentException(
          "reply: "
              + reply.length
              + " bytes (expected: "
              + (HEAD_BYTES + checks * CHECK_BYTES)
              + ")");
    }
    buffer = ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The server's time of the whole call, Unix time. */
  public long nowUs() {
    return (long) buffer.getDouble(0);
  }

  public int status(int check) {
    return buffer.get(HEAD_BYTES + check * CHECK_BYTES);
  }

  /** Which of the check's limits the figures are about, from 0. */
  public int limitIndex(int check) {
    return buffer.get(HEAD_BYTES + check * CHECK_BYTES + 1);
  }

  /** Requests granted, of those asked for. */
  public long granted(int check) {
    return number(check, 0);
  }

  public long remaining(int check) {
    return number(check, 1);
  }

  public long capacity(int check) {
    return number(check, 2);
  }

  public long resetAtUs(int check) {
    return number(check, 3);
  }

  /** Until the first request that was not granted passes; 0 if all were, {@link #NEVER}. */
  public long retryAfterUs(int check) {
    return number(check, 4);
  }

  /** How long a request granted by a queue has to be held. */
  public long waitUs(int check) {
    return number(check, 5);
  }

  private long number(int check, int index) {
    return (long) buffer.getDouble(HEAD_BYTES + check * CHECK_BYTES + 2 + index * Double.BYTES);
  }
}

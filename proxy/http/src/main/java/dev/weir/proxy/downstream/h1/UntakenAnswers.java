package dev.weir.proxy.downstream.h1;

import dev.weir.proxy.loop.LoopClock;
import io.netty.channel.Channel;
import io.netty.channel.WriteBufferWaterMark;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Answers of HTTP/1.1 that wait for clients of one event loop. A client is behind while more waits
 * for it than its mark, and its service is not read meanwhile: so the mark, and one read of a
 * service, is what a client that takes nothing holds.
 *
 * <p>Each connection starts with a low mark. Those that fall behind get a high one, up to a number.
 * If too many are behind, the one that has been behind for the longest is reset: after 1 s, or at
 * once beyond twice as many. As many may be behind as there is memory for that the loop's {@link
 * KeptInput} leaves.
 */
final class UntakenAnswers {
  private static final WriteBufferWaterMark LOW = new WriteBufferWaterMark(8 * 1024, 16 * 1024);
  private static final WriteBufferWaterMark HIGH = new WriteBufferWaterMark(32 * 1024, 128 * 1024);

  /** The memory of a connection that is behind with the low mark: a read is 64 KiB at most. */
  static final int BEHIND_BYTES = 80 * 1024;

  /** The part of those that may be behind which may have the high mark. */
  private static final int BEHIND_PER_HIGH = 8;

  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

  private final LoopClock clock;
  private final KeptInput input;
  private final long maxBytes;
  private final int maxHigh;
  private int high;

  /** The connections that are behind, the longest first. */
  private final Set<Answers> behind = new LinkedHashSet<>();

  /**
   * @param input takes of the same memory.
   * @param maxBytes of memory, of all connections.
   */
  UntakenAnswers(LoopClock clock, KeptInput input, long maxBytes) {
    this.clock = clock;
    this.input = input;
    this.maxBytes = maxBytes;
    maxHigh = (int) Math.min(Integer.MAX_VALUE, maxBytes / BEHIND_BYTES / BEHIND_PER_HIGH);
  }

  /** The connections that are behind. */
  int behind() {
    return behind.size();
  }

  /** The connections that have the high mark. */
  int high() {
    return high;
  }

  /** The answers of one connection. */
  final class Answers {
    private final Channel channel;
    private final Runnable reset;
    private boolean isHigh;
    private long behindNs;

    /**
     * @param reset resets the connection.
     */
    Answers(Channel channel, Runnable reset) {
      this.channel = channel;
      this.reset = reset;
      channel.config().setWriteBufferWaterMark(LOW);
    }

    /** The client is behind, or no longer. */
    void look() {
      if (channel.isWritable()) {
        behind.remove(this);
      } else if (behind.add(this)) {
        behindNs = clock.nowNs();
        if (!isHigh && high < maxHigh) {
          isHigh = true;
          high++;
          channel.config().setWriteBufferWaterMark(HIGH);
        }
        resetLongest();
      }
    }

    /** The answer has been written: once the client has it, another may have the high mark. */
    void written() {
      if (isHigh && channel.isWritable()) {
        lower();
        channel.config().setWriteBufferWaterMark(LOW);
      }
    }

    /** The connection has ended. */
    void end() {
      behind.remove(this);
      if (isHigh) {
        lower();
      }
    }

    private void lower() {
      isHigh = false;
      high--;
    }
  }

  private void resetLongest() {
    long maxBehind = Math.max(1, (maxBytes - input.bytes()) / BEHIND_BYTES);
    if (behind.size() > maxBehind) {
      Answers longest = behind.iterator().next();
      if (behind.size() > 2 * maxBehind || clock.nowNs() - longest.behindNs >= PATIENCE_NS) {
        behind.remove(longest);
        longest.channel.eventLoop().execute(longest.reset);
      }
    }
  }
}

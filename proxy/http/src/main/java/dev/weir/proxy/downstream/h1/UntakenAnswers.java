package dev.weir.proxy.downstream.h1;

import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.loop.LoopClock;
import io.netty.channel.Channel;
import io.netty.channel.WriteBufferWaterMark;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The HTTP/1.1 responses that clients of one event loop have not read. A client is behind while it
 * has more unread bytes than its mark; its service is not read meanwhile. So a client that reads
 * nothing holds at most its mark and one read of a service.
 *
 * <p>Each connection starts with a low mark. A limited number of those that fall behind get a high
 * one. If too many are behind, the one that has been behind for the longest is reset: after 1 s, or
 * at once if there are twice as many. How many may be behind depends on the memory that the loop's
 * {@link KeptInput} leaves.
 */
final class UntakenAnswers {
  private static final WriteBufferWaterMark LOW = new WriteBufferWaterMark(8 * 1024, 16 * 1024);

  /** Memory of a connection that is behind with the low mark: a read is 64 KiB at most. */
  static final int BEHIND_BYTES = 80 * 1024;

  /** One of so many connections that may be behind may have the high mark. */
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
   * @param input takes from the same memory.
   * @param maxBytes of memory, of all connections.
   */
  UntakenAnswers(LoopClock clock, KeptInput input, long maxBytes) {
    this.clock = clock;
    this.input = input;
    this.maxBytes = maxBytes;
    maxHigh = (int) Math.min(Integer.MAX_VALUE, maxBytes / BEHIND_BYTES / BEHIND_PER_HIGH);
  }

  int behind() {
    return behind.size();
  }

  int high() {
    return high;
  }

  /** The responses of one connection. */
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

    /** Checks whether the client is behind. */
    void look() {
      if (channel.isWritable()) {
        behind.remove(this);
      } else if (behind.add(this)) {
        behindNs = clock.nowNs();
        if (!isHigh && high < maxHigh) {
          isHigh = true;
          high++;
          channel.config().setWriteBufferWaterMark(ChannelIo.WATER_MARK);
        }
        resetLongest();
      }
    }

    /**
     * The whole response has been written: once the client has read it, another connection may get
     * the high mark.
     */
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

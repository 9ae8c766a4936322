package dev.weir.proxy.downstream.h1;

import io.netty.channel.Channel;

/**
 * The HTTP/1.1 input that connections of one event loop keep: incomplete heads, requests that wait,
 * and requests behind those. The whole memory of its buffers counts.
 *
 * <p>If it is too much, one connection is refused: of those that keep half of the mean or more, the
 * one that has kept input for the longest. So a connection that keeps little is not refused for
 * others, and a new one is not refused before older ones that keep slightly less.
 */
final class KeptInput {
  private final long maxBytes;
  private long bytes;
  private int connections;

  /** The connection that has kept input for the longest. */
  private Input first;

  private Input last;

  /**
   * @param maxBytes of memory, of all connections.
   */
  KeptInput(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** The memory of all connections. */
  long bytes() {
    return bytes;
  }

  /** The input of one connection. */
  final class Input {
    private final Channel channel;
    private final Runnable refuse;
    private int ownBytes;
    private Input previous;
    private Input next;

    /**
     * @param refuse refuses the connection, in a task of its own.
     */
    Input(Channel channel, Runnable refuse) {
      this.channel = channel;
      this.refuse = refuse;
    }

    /** The connection keeps so many bytes of memory now. */
    void keep(int nowBytes) {
      int more = nowBytes - ownBytes;
      if (more == 0) {
        return;
      }
      if (ownBytes > 0 && more < 0) {
        leave(); // it goes on: what it still keeps counts as new
      }
      if (nowBytes > 0 && (ownBytes == 0 || more < 0)) {
        join();
      }
      ownBytes = nowBytes;
      bytes += more;
      refuseLongest();
    }

    private void join() {
      connections++;
      previous = last;
      if (last == null) {
        first = this;
      } else {
        last.next = this;
      }
      last = this;
    }

    private void leave() {
      connections--;
      if (previous == null) {
        first = next;
      } else {
        previous.next = next;
      }
      if (next == null) {
        last = previous;
      } else {
        next.previous = previous;
      }
      previous = null;
      next = null;
    }
  }

  private void refuseLongest() {
    while (bytes > maxBytes) {
      Input longest = first;
      while (longest.ownBytes < bytes / connections / 2) {
        longest = longest.next;
      }
      longest.leave();
      bytes -= longest.ownBytes;
      longest.ownBytes = 0;
      longest.channel.eventLoop().execute(longest.refuse);
    }
  }
}

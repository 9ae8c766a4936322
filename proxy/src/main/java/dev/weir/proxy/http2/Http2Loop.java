package dev.weir.proxy.http2;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.TurnEnd;

/** What the HTTP/2 connections of one event loop share, in both roles. Used by that loop only. */
public final class Http2Loop {
  /** The most bytes of a head or trailers, as they are sent. */
  static final int MAX_BLOCK_BYTES = 32 * 1024;

  final LoopClock clock;
  final Deadlines deadlines;
  final TurnEnd turnEnd;
  final FieldBlock block;

  /** Whether somebody is being told of the fields that were decoded last. */
  boolean blockIsLent;

  private long heldBytes;
  private int clientConnections;

  /**
   * @param maxListBytes of a head or trailers: all names and values, and 32 for each field.
   * @param maxFields of a head or trailers.
   */
  public Http2Loop(
      LoopClock clock, Deadlines deadlines, TurnEnd turnEnd, int maxListBytes, int maxFields) {
    this.clock = clock;
    this.deadlines = deadlines;
    this.turnEnd = turnEnd;
    this.block = new FieldBlock(maxListBytes, maxFields, MAX_BLOCK_BYTES);
  }

  /** Bytes that all connections have received, or have to send, and that wait for a window. */
  public long heldBytes() {
    return heldBytes;
  }

  /** When what was written within a turn is sent. */
  public TurnEnd turnEnd() {
    return turnEnd;
  }

  void hold(long bytes) {
    heldBytes += bytes;
  }

  void clientConnected() {
    clientConnections++;
  }

  void clientLeft() {
    clientConnections--;
  }

  /** Connections of clients, at least the one that asks. */
  int clientConnections() {
    return Math.max(1, clientConnections);
  }
}

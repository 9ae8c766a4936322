package dev.weir.proxy.http2;

import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.TurnEnd;
import java.util.ArrayList;
import java.util.List;

/** The state that all HTTP/2 connections of one event loop share. Used by that loop only. */
public final class Http2Loop {
  /** The most bytes of an encoded head or trailers. */
  static final int MAX_BLOCK_BYTES = 32 * 1024;

  /**
   * The most bytes of a service's encoded head or trailers; if there are more than {@link
   * #MAX_BLOCK_BYTES}, none is kept, and the stream ends.
   */
  static final int MAX_SERVICE_BLOCK_BYTES =
      FrameReader.MAX_BLOCK_FRAMES * Setting.DEFAULT_MAX_FRAME_BYTES;

  final LoopClock clock;
  final Deadlines deadlines;
  final TurnEnd turnEnd;
  final FieldBlock block;

  /** Whether the fields that were decoded last are in use. */
  boolean blockIsLent;

  private final long maxHeldBytes;
  private final List<Http2Connection> services = new ArrayList<>();
  private long clientsHeldBytes;
  private long servicesHeldBytes;
  private long clientsExtraBytes;
  private long servicesExtraBytes;
  private int clientConnections;

  /** Whether so much is held that services have to send less at once. */
  private boolean isCrowded;

  /**
   * @param maxHeldBytes of content and heads that all connections to one side may hold.
   * @param maxListBytes of a head or trailers: all names and values, and 32 for each field.
   * @param maxFields of a head or trailers.
   */
  public Http2Loop(
      LoopClock clock,
      Deadlines deadlines,
      TurnEnd turnEnd,
      long maxHeldBytes,
      int maxListBytes,
      int maxFields) {
    this.clock = clock;
    this.deadlines = deadlines;
    this.turnEnd = turnEnd;
    this.maxHeldBytes = maxHeldBytes;
    this.block = new FieldBlock(maxListBytes, maxFields, MAX_SERVICE_BLOCK_BYTES);
  }

  /**
   * The bytes that connections have received, or have to send, and hold: of the connections to
   * clients or to services, whichever are more, as bytes on their way from one to the other are
   * counted for both.
   */
  public long heldBytes() {
    return Math.max(clientsHeldBytes, servicesHeldBytes);
  }

  /** The bytes that the connections to clients may hold; those to services may hold as many. */
  public long maxHeldBytes() {
    return maxHeldBytes;
  }

  /** The bytes that the connections to clients hold. */
  long clientsHeldBytes() {
    return clientsHeldBytes;
  }

  /** The end of a turn, when what was written within it is sent. */
  public TurnEnd turnEnd() {
    return turnEnd;
  }

  /** Counts bytes held by the connections of one of our roles, or uncounts them if below 0. */
  void hold(Role role, long bytes) {
    switch (role) {
      case SERVER -> clientsHeldBytes += bytes;
      case CLIENT -> servicesHeldBytes += bytes;
    }
    final long held = heldBytes();
    // From half of what may be held on services send less at once; below a quarter, as usual.
    if (isCrowded ? held < maxHeldBytes / 4 : held > maxHeldBytes / 2) {
      isCrowded = !isCrowded;
      for (int i = 0; i < services.size(); i++) {
        services.get(i).handler.joinTurn(); // and looks at its bound then
      }
    }
  }

  /** Whether so much is held that services have to send less at once. */
  boolean isCrowded() {
    return isCrowded;
  }

  /**
   * Whether a window may grow by so much: by at most a quarter of what other windows leave, so that
   * something is left for the next. All windows together may exceed the default by a quarter of
   * what may be held.
   *
   * @param extraBytes by which it exceeds the default now.
   */
  boolean mayWiden(Role role, int extraBytes, int wantedBytes) {
    final long others = (role == Role.SERVER ? clientsExtraBytes : servicesExtraBytes) - extraBytes;
    return !isCrowded && 4L * wantedBytes <= maxHeldBytes / 4 - others;
  }

  /** Counts the growth of the windows of one of our roles, or their shrinking if below 0. */
  void widen(Role role, int bytes) {
    switch (role) {
      case SERVER -> clientsExtraBytes += bytes;
      case CLIENT -> servicesExtraBytes += bytes;
    }
  }

  void serviceConnected(Http2Connection connection) {
    services.add(connection);
  }

  void serviceLeft(Http2Connection connection) {
    services.remove(connection);
  }

  void clientConnected() {
    clientConnections++;
  }

  void clientLeft() {
    clientConnections--;
  }

  /** The number of clients' connections, at least 1. */
  int clientConnections() {
    return Math.max(1, clientConnections);
  }
}

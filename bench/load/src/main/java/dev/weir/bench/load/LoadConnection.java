package dev.weir.bench.load;

import dev.weir.bench.load.LoadSink.Failure;

/**
 * A connection that carries requests, of whatever protocol. Used by one event loop only. What
 * becomes of the requests, and of the connection, is told to its {@link LoadSink}; never within a
 * call of {@link #start} or {@link #flush}.
 */
public interface LoadConnection {
  /** Whether another request may be started now. */
  boolean hasRoom();

  /** How many requests have been started and have not ended. */
  int inFlight();

  /**
   * Writes a request; only while {@link #hasRoom}.
   *
   * @param dueNs when it should have been started, and {@code nowNs} when it is; both of {@link
   *     System#nanoTime}, and only carried along.
   */
  void start(Request request, long dueNs, long nowNs);

  void flush();

  /**
   * Gives up the requests that were started before a time, as {@link Failure#TIMEOUT}. Where the
   * protocol cannot give up one alone, the connection is closed.
   */
  void expire(long startedBeforeNs);

  /** Closes it; what is in flight is forgotten, and {@link LoadSink#closed} is not called. */
  void close();
}

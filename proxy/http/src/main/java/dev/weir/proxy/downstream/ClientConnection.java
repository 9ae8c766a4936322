package dev.weir.proxy.downstream;

/** One client's connection, in any protocol, as its event loop ends it. */
public interface ClientConnection {
  /** Begins no more requests, and closes when those in flight have ended: at once if none is. */
  void drain();

  /** Closes the connection at once; a request in flight gets no complete response. */
  void close();

  /** The time that the connection has set in its {@link ClientTimer} is over. */
  void onDeadline();
}

package dev.weir.proxy.downstream;

/** One client's connection, as its event loop ends it, whatever protocol it speaks. */
public interface ClientConnection {
  /** Begins no more requests, and closes when those in flight have ended: at once if none is. */
  void drain();

  /** Ends the connection as it stands; a request in flight will not have its whole response. */
  void close();

  /** The time is up that the connection has set its {@link ClientTimer}. */
  void onDeadline();
}

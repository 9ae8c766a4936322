package dev.weir.proxy.request;

/**
 * Observes the HTTP/2 connections of one event loop to one side, clients or services, on that loop.
 * Must not allocate. Codes are those of RFC 9113, section 7; an unknown one counts as another.
 */
public interface Http2Observer {
  void connectionOpened();

  void connectionClosed();

  void streamOpened();

  void streamClosed();

  void resetSent(int errorCode);

  void resetReceived(int errorCode);

  void goAwaySent(int errorCode);

  void goAwayReceived(int errorCode);

  void glitch(Glitch glitch);
}

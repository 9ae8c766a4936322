package dev.weir.proxy.request;

/**
 * Is told what happens on the HTTP/2 connections of one event loop to one side, clients or
 * services; by that loop only. Must not allocate. Codes are those of RFC 9113, section 7,; one that
 * RFC 9113 does not know counts as another.
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

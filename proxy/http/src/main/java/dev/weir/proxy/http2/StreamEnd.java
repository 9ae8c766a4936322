package dev.weir.proxy.http2;

/** Why a stream ends before both sides have ended it. */
public enum StreamEnd {
  /** The peer has reset it. */
  PEER_RESET,

  /** The peer has not processed it: it was refused, or is above the last stream of a GOAWAY. */
  UNPROCESSED,

  /** The peer has made an error that concerns only this stream, and we have reset it. */
  FAULT,

  /** The peer has not read the content that waits, for long, and we have reset it. */
  STALLED,

  /** Weir reset the stream: its content was not consumed while too much was held. */
  UNTAKEN,

  /**
   * The peer read nothing of it while others waited for the connection's window, and we have reset
   * it.
   */
  UNREAD,

  /** The connection has ended. */
  CONNECTION_LOST;

  /** Whether we end it by a reset. */
  boolean isOurs() {
    return this == FAULT || this == STALLED || this == UNTAKEN || this == UNREAD;
  }
}

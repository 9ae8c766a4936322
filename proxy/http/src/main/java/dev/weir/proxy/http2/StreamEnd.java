package dev.weir.proxy.http2;

/** Why a stream ends without both sides having said all they had to say. */
public enum StreamEnd {
  /** The peer has reset it. */
  PEER_RESET,

  /** The peer has not looked at it: it was refused, or lies above the last stream of a GOAWAY. */
  UNPROCESSED,

  /** The peer broke a rule that is about this stream only, and we have reset it. */
  FAULT,

  /** The peer has not taken, for long, what was sent on it, and we have reset it. */
  STALLED,

  /** Weir reset the stream: its content was not consumed while too much was held. */
  UNTAKEN,

  /**
   * The peer read nothing of it, while others waited for the window of the connection, and we have
   * reset it.
   */
  UNREAD,

  /** The connection has ended. */
  CONNECTION_LOST;

  /** Whether it is we who end it, and the peer is told. */
  boolean isOurs() {
    return this == FAULT || this == STALLED || this == UNTAKEN || this == UNREAD;
  }
}

package dev.weir.proxy.http2;

/** Which side of a connection is ours. */
public enum Role {
  /** We open streams, and the peer answers. */
  CLIENT,

  /** The peer opens streams, and we answer. */
  SERVER
}

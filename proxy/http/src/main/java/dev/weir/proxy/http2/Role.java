package dev.weir.proxy.http2;

/** Our side of a connection. */
public enum Role {
  /** We open streams, and the peer answers. */
  CLIENT,

  /** The peer opens streams, and we answer. */
  SERVER
}

package dev.weir.proxy.request;

/** Why a connection was closed that has to begin with a header of the PROXY protocol. */
public enum ProxyHeaderFault {
  /** Its peer is not among those that are believed. */
  NOT_TRUSTED,

  /** The connection began with other bytes. */
  MISSING,

  /** The header is not what the protocol says, or too long. */
  MALFORMED,

  /** The header was not complete in time, or the peer left before. */
  INCOMPLETE
}

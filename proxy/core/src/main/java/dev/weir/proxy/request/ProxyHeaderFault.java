package dev.weir.proxy.request;

/** Why a connection that must begin with a PROXY header was closed. */
public enum ProxyHeaderFault {
  /** Its peer is not a trusted proxy. */
  NOT_TRUSTED,

  /** The connection began with other bytes. */
  MISSING,

  /** The header is malformed, or too long. */
  MALFORMED,

  /** The header was not complete in time, or the peer left before. */
  INCOMPLETE
}

package dev.weir.proxy.request;

/** The outcome of a TLS handshake. */
public enum Handshake {
  /** A full handshake, with certificates. */
  FULL,

  /** An earlier session was resumed. */
  RESUMED,

  /** The peer does not speak TLS. */
  NOT_TLS,

  /** The two sides have no version or no cipher suite in common. */
  NOTHING_IN_COMMON,

  /** A certificate was missing, or was rejected. */
  CERTIFICATE_REFUSED,

  /** The handshake failed for another reason, or one side left. */
  FAILED,

  /** The handshake took too long. */
  TIMED_OUT,

  /** Too many handshakes were in flight. */
  TURNED_AWAY
}

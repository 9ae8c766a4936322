package dev.weir.proxy.request;

/** The outcome of a TLS handshake. */
public enum Handshake {
  /** Certificates were shown and looked at. */
  FULL,

  /** A session of before went on. */
  RESUMED,

  /** What came was no TLS. */
  NOT_TLS,

  /** The two sides have no version or no cipher suite in common. */
  NOTHING_IN_COMMON,

  /** A certificate was missing, or did not hold. */
  CERTIFICATE_REFUSED,

  /** It failed otherwise, or one side left. */
  FAILED,

  /** It took longer than it may. */
  TIMED_OUT,

  /** Too many were in flight. */
  TURNED_AWAY
}

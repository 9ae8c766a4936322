package dev.weir.proxy.request;

/** The outcome of a TLS handshake. */
public enum Handshake {
  /** Certificates were shown and looked at. */
  FULL,

  /** A session of before went on. */
  RESUMED,

  /** The two sides did not agree, or one left. */
  FAILED,

  /** It took longer than it may. */
  TIMED_OUT,

  /** Too many were in flight. */
  TURNED_AWAY
}

package dev.weir.proxy.exchange;

/** How the bytes of a body are handed over. */
public enum BodyForm {
  /**
   * The bytes as they came, in the framing of the head's own protocol: both sides speak it.
   * Trailers are among the bytes.
   */
  AS_FRAMED,

  /** The content alone. Where it ends is said beside it, and trailers are handed over apart. */
  DATA
}

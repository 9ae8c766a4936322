package dev.weir.proxy.exchange;

/** The form in which the bytes of a body are passed from one side to the other. */
public enum BodyForm {
  /**
   * The bytes as they came, in the framing of the head's own protocol: both sides speak it.
   * Trailers are among the bytes.
   */
  AS_FRAMED,

  /**
   * The content alone. The end of the body is told by an argument, and trailers by a call of their
   * own.
   */
  DATA
}

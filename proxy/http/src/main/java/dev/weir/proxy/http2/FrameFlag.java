package dev.weir.proxy.http2;

/** The flags of frames (RFC 9113, section 6). */
public final class FrameFlag {
  /** A flag of DATA and HEADERS: the sender ends the stream. */
  public static final int END_STREAM = 0x1;

  /** A flag of SETTINGS and PING: an answer to the peer's. */
  public static final int ACK = 0x1;

  /** A flag of HEADERS and CONTINUATION: the field block ends here. */
  public static final int END_HEADERS = 0x4;

  /** A flag of DATA and HEADERS: the payload is padded. */
  public static final int PADDED = 0x8;

  /** A flag of HEADERS: a priority stands before the field block. */
  public static final int PRIORITY = 0x20;

  private FrameFlag() {}
}

package dev.weir.proxy.http2;

/** The flags of frames (RFC 9113, section 6). */
public final class FrameFlag {
  /** Of DATA and HEADERS. */
  public static final int END_STREAM = 0x1;

  /** Of SETTINGS and PING. */
  public static final int ACK = 0x1;

  /** Of HEADERS and CONTINUATION. */
  public static final int END_HEADERS = 0x4;

  /** Of DATA and HEADERS. */
  public static final int PADDED = 0x8;

  /** Of HEADERS. */
  public static final int PRIORITY = 0x20;

  private FrameFlag() {}
}

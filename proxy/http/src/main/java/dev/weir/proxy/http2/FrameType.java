package dev.weir.proxy.http2;

/** The types of frames (RFC 9113, section 6). */
public final class FrameType {
  public static final int DATA = 0x0;
  public static final int HEADERS = 0x1;
  public static final int PRIORITY = 0x2;
  public static final int RST_STREAM = 0x3;
  public static final int SETTINGS = 0x4;
  public static final int PUSH_PROMISE = 0x5;
  public static final int PING = 0x6;
  public static final int GOAWAY = 0x7;
  public static final int WINDOW_UPDATE = 0x8;
  public static final int CONTINUATION = 0x9;

  private FrameType() {}
}

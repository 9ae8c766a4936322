package dev.weir.proxy.http2;

/** The settings of SETTINGS frames (RFC 9113, section 6.5.2). */
public final class Setting {
  public static final int HEADER_TABLE_SIZE = 0x1;
  public static final int ENABLE_PUSH = 0x2;
  public static final int MAX_CONCURRENT_STREAMS = 0x3;
  public static final int INITIAL_WINDOW_SIZE = 0x4;
  public static final int MAX_FRAME_SIZE = 0x5;
  public static final int MAX_HEADER_LIST_SIZE = 0x6;

  /** Whether streams may be tunnels for other protocols (RFC 8441, section 3). */
  public static final int ENABLE_CONNECT_PROTOCOL = 0x8;

  /** The defaults for the dynamic table, the initial windows, and frames, in bytes. */
  public static final int DEFAULT_HEADER_TABLE_BYTES = 4_096;

  public static final int DEFAULT_WINDOW_BYTES = 65_535;
  public static final int DEFAULT_MAX_FRAME_BYTES = 16_384;

  private static final int MOST_MAX_FRAME_BYTES = (1 << 24) - 1;

  private Setting() {}

  /**
   * Whether a value is legal for a setting; any is for an unknown one.
   *
   * @return {@link ErrorCode#NO_ERROR}, or the error code with which the connection has to end.
   */
  static int check(int id, long value) {
    return switch (id) {
      case ENABLE_PUSH, ENABLE_CONNECT_PROTOCOL ->
          value > 1 ? ErrorCode.PROTOCOL_ERROR : ErrorCode.NO_ERROR;
      case INITIAL_WINDOW_SIZE ->
          value > Integer.MAX_VALUE ? ErrorCode.FLOW_CONTROL_ERROR : ErrorCode.NO_ERROR;
      case MAX_FRAME_SIZE ->
          value < DEFAULT_MAX_FRAME_BYTES || value > MOST_MAX_FRAME_BYTES
              ? ErrorCode.PROTOCOL_ERROR
              : ErrorCode.NO_ERROR;
      default -> ErrorCode.NO_ERROR;
    };
  }
}

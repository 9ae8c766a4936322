package dev.weir.proxy.http2;

/** Why a stream or a connection ended (RFC 9113, section 7). */
public final class ErrorCode {
  public static final int NO_ERROR = 0x0;
  public static final int PROTOCOL_ERROR = 0x1;
  public static final int INTERNAL_ERROR = 0x2;
  public static final int FLOW_CONTROL_ERROR = 0x3;
  public static final int FRAME_SIZE_ERROR = 0x6;
  public static final int CANCEL = 0x8;
  public static final int COMPRESSION_ERROR = 0x9;
  public static final int ENHANCE_YOUR_CALM = 0xb;

  private ErrorCode() {}

  /** The code's name in RFC 9113; its number for those that are not sent here. */
  public static String name(int code) {
    return switch (code) {
      case NO_ERROR -> "NO_ERROR";
      case PROTOCOL_ERROR -> "PROTOCOL_ERROR";
      case INTERNAL_ERROR -> "INTERNAL_ERROR";
      case FLOW_CONTROL_ERROR -> "FLOW_CONTROL_ERROR";
      case FRAME_SIZE_ERROR -> "FRAME_SIZE_ERROR";
      case CANCEL -> "CANCEL";
      case COMPRESSION_ERROR -> "COMPRESSION_ERROR";
      case ENHANCE_YOUR_CALM -> "ENHANCE_YOUR_CALM";
      default -> "error " + Integer.toUnsignedString(code);
    };
  }
}

package dev.weir.proxy.http2;

/** The error codes of streams and connections (RFC 9113, section 7). */
public final class ErrorCode {
  public static final int NO_ERROR = 0x0;
  public static final int PROTOCOL_ERROR = 0x1;
  public static final int INTERNAL_ERROR = 0x2;
  public static final int FLOW_CONTROL_ERROR = 0x3;
  public static final int SETTINGS_TIMEOUT = 0x4;
  public static final int STREAM_CLOSED = 0x5;
  public static final int FRAME_SIZE_ERROR = 0x6;
  public static final int REFUSED_STREAM = 0x7;
  public static final int CANCEL = 0x8;
  public static final int COMPRESSION_ERROR = 0x9;
  public static final int CONNECT_ERROR = 0xa;
  public static final int ENHANCE_YOUR_CALM = 0xb;
  public static final int INADEQUATE_SECURITY = 0xc;
  public static final int HTTP_1_1_REQUIRED = 0xd;

  private ErrorCode() {}

  /** The code's name in RFC 9113; the number of an unknown code. */
  public static String name(int code) {
    return switch (code) {
      case NO_ERROR -> "NO_ERROR";
      case PROTOCOL_ERROR -> "PROTOCOL_ERROR";
      case INTERNAL_ERROR -> "INTERNAL_ERROR";
      case FLOW_CONTROL_ERROR -> "FLOW_CONTROL_ERROR";
      case SETTINGS_TIMEOUT -> "SETTINGS_TIMEOUT";
      case STREAM_CLOSED -> "STREAM_CLOSED";
      case FRAME_SIZE_ERROR -> "FRAME_SIZE_ERROR";
      case REFUSED_STREAM -> "REFUSED_STREAM";
      case CANCEL -> "CANCEL";
      case COMPRESSION_ERROR -> "COMPRESSION_ERROR";
      case CONNECT_ERROR -> "CONNECT_ERROR";
      case ENHANCE_YOUR_CALM -> "ENHANCE_YOUR_CALM";
      case INADEQUATE_SECURITY -> "INADEQUATE_SECURITY";
      case HTTP_1_1_REQUIRED -> "HTTP_1_1_REQUIRED";
      default -> "error " + Integer.toUnsignedString(code);
    };
  }
}

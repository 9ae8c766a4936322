package dev.weir.bench.load;

/** Statuses as fields of HTTP/2 hold them. */
final class StatusText {
  /** The status of a call that ended without one, or with one that nobody knows. */
  static final int GRPC_UNKNOWN = 2;

  private static final int GRPC_HIGHEST = 16;

  private StatusText() {}

  /** Three digits; 0 if it is something else, or null. */
  static int http(CharSequence text) {
    return text == null || text.length() != 3 ? 0 : Math.max(0, digits(text));
  }

  /** From 0 to 16; {@link #GRPC_UNKNOWN} if it is something else, or null. */
  static int grpc(CharSequence text) {
    int status = text == null || text.length() > 2 ? -1 : digits(text);
    return status < 0 || status > GRPC_HIGHEST ? GRPC_UNKNOWN : status;
  }

  private static int digits(CharSequence text) {
    int number = text.length() == 0 ? -1 : 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }
}

package dev.weir.proxy.log;

/**
 * A text of a peer (an error of a server, a name in its certificate), for one line of the log: it
 * may be as long as the peer likes and hold whatever characters it likes.
 */
public final class PeerText {
  /** The rest of a longer text is left out. */
  static final int MAX_CHARS = 200;

  private PeerText() {}

  /**
   * A text as the log shows it: its first {@link #MAX_CHARS} characters, control characters
   * escaped, and how many there were if there were more.
   */
  public static String shown(String text) {
    int end = Math.min(text.length(), MAX_CHARS);
    if (end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
      end--; // half a character is none
    }
    StringBuilder out = new StringBuilder(end + 32);
    for (int i = 0; i < end; i++) {
      append(out, text.charAt(i));
    }
    if (end < text.length()) {
      out.append("... (").append(end).append(" of ").append(text.length()).append(" characters)");
    }
    return out.toString();
  }

  /**
   * Adds a character that cannot end a line or steer a terminal: control characters as {@code
   * \\x1b}.
   */
  static void append(StringBuilder out, char c) {
    if (Character.isISOControl(c)) {
      out.append("\\x")
          .append(Character.forDigit(c >> 4, 16))
          .append(Character.forDigit(c & 15, 16));
    } else {
      out.append(c);
    }
  }
}

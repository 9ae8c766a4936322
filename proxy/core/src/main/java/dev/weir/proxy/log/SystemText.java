package dev.weir.proxy.log;

import java.io.FileNotFoundException;
import java.net.NoRouteToHostException;

/** The operating system's words for why a call of it has failed, for the log. */
public final class SystemText {
  private static final String BEFORE = ") failed with error(";
  private static final String BEHIND = "): ";

  /** The message of a failure without words, where Netty has put the address behind it. */
  private static final String NO_WORDS = "null";

  private SystemText() {}

  /**
   * The message of a failure without the function and the number that the native transports put
   * before it: {@code Connection refused: /10.0.0.1:80}, whatever the transport.
   */
  public static String of(Throwable failure) {
    String text = failure.getMessage();
    if (text == null) {
      return words(failure);
    }
    if (text.startsWith(NO_WORDS + ": ")) {
      return words(failure) + text.substring(NO_WORDS.length());
    }
    int call = text.indexOf(BEFORE);
    int end = call < 0 ? -1 : text.indexOf(BEHIND, call + BEFORE.length());
    return end < 0 ? text : text.substring(end + BEHIND.length());
  }

  /** The words for the two errors that the native transports throw without any. */
  private static String words(Throwable failure) {
    if (failure instanceof NoRouteToHostException) {
      return "Network is unreachable";
    }
    return failure instanceof FileNotFoundException
        ? "No such file or directory"
        : failure.getClass().getSimpleName();
  }
}

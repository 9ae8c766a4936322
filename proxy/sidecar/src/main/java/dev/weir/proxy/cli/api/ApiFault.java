package dev.weir.proxy.cli.api;

/** The API has not done what a command asked for. */
final class ApiFault extends Exception {
  private static final long serialVersionUID = 1;

  private final int exitCode;
  private final int retryAfterSeconds;

  /**
   * @param exitCode one of {@link ExitCode}.
   * @param message for the user, one or more lines.
   */
  ApiFault(int exitCode, String message) {
    this(exitCode, message, 0);
  }

  /**
   * @param retryAfterSeconds 1 or more if it was refused for being too much at once; else 0.
   */
  ApiFault(int exitCode, String message, int retryAfterSeconds) {
    super(message, null, false, false);
    this.exitCode = exitCode;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  int retryAfterSeconds() {
    return retryAfterSeconds;
  }

  int exitCode() {
    return exitCode;
  }
}

package dev.weir.proxy.wiring;

/** The sidecar could not start. The message says what failed and why. */
public final class StartException extends Exception {
  private static final long serialVersionUID = 1L;

  StartException(String message, Throwable cause) {
    super(message, cause);
  }
}

package dev.weir.proxy.wiring;

/** The sidecar could not start. The message says what was tried and what stood in the way. */
public final class StartException extends Exception {
  private static final long serialVersionUID = 1L;

  StartException(String message, Throwable cause) {
    super(message, cause);
  }
}

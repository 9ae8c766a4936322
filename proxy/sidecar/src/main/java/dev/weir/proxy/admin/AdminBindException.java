package dev.weir.proxy.admin;

/** The admin port could not listen; the message names the address and why. */
public final class AdminBindException extends RuntimeException {
  private static final long serialVersionUID = 1;

  AdminBindException(String message, Throwable cause) {
    super(message, cause);
  }
}

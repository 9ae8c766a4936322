package dev.weir.bench.load;

/** A run that could not begin: its message says what is wrong and what was expected. */
public final class LoadException extends Exception {
  private static final long serialVersionUID = 1L;

  LoadException(String message, Throwable cause) {
    super(message, cause);
  }
}

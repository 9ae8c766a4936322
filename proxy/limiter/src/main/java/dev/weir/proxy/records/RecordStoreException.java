package dev.weir.proxy.records;

/** The store of records cannot do what it was asked for: it is away, full, or of a newer format. */
public final class RecordStoreException extends Exception {
  private static final long serialVersionUID = 1;

  /**
   * @param message why, for operators.
   */
  public RecordStoreException(String message) {
    super(message);
  }

  /**
   * @param message why, for operators.
   */
  public RecordStoreException(String message, Throwable cause) {
    super(message, cause);
  }
}

package dev.weir.proxy.records;

/** The store of records cannot do what it was asked for: it is away, full, or of a newer format. */
public final class RecordStoreException extends Exception {
  private static final long serialVersionUID = 1;

  private static final String PERHAPS = "; perhaps written: read it again";

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

  /** The same fault of a write that may have been made all the same, or in part. */
  public RecordStoreException perhapsWritten() {
    return getMessage().endsWith(PERHAPS)
        ? this
        : new RecordStoreException(getMessage() + PERHAPS, this);
  }
}

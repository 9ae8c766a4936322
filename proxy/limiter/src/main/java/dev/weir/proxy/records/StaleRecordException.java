package dev.weir.proxy.records;

/** A write was refused, as its author has not seen what a record is now; nothing was written. */
public final class StaleRecordException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient RecordName name;
  private final transient RecordVersion present;
  private final String writtenBy;

  /**
   * @param present the version that the record has; {@link RecordVersion#NONE} if there is none.
   * @param writtenBy who wrote that; empty if it is not known.
   */
  public StaleRecordException(RecordName name, RecordVersion present, String writtenBy) {
    super(name.id() + " is of version " + present);
    this.name = name;
    this.present = present;
    this.writtenBy = writtenBy;
  }

  /** The record. */
  public RecordName name() {
    return name;
  }

  /** The version that the record has; {@link RecordVersion#NONE} if there is none. */
  public RecordVersion present() {
    return present;
  }

  /** The author of that version; empty if it is not known. */
  public String writtenBy() {
    return writtenBy;
  }
}

package dev.weir.proxy.records;

import java.util.List;
import java.util.stream.Collectors;

/** A text that is no record: all its faults. */
public final class BadRecordException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient List<RecordFault> faults;

  /**
   * @param faults one or more.
   */
  public BadRecordException(List<RecordFault> faults) {
    super(
        faults.stream().map(RecordFault::toString).collect(Collectors.joining("; ")),
        null,
        false,
        false);
    this.faults = List.copyOf(faults);
  }

  /** One or more, in the order of the text. */
  public List<RecordFault> faults() {
    return faults;
  }
}

package dev.weir.proxy.records;

import java.util.List;

/**
 * A service's set of rules in one version: all its rules and other parts.
 *
 * @param head the version of the last write, also if that deleted the set; {@link
 *     RecordVersion#NONE} if there never was one.
 * @param records none if there is no set: then the rules of the file hold.
 * @param damaged the names of records that cannot be read, as they are no JSON: a set with such is
 *     not taken into use.
 */
public record RecordSet(RecordVersion head, List<StoredRecord> records, List<RecordName> damaged) {
  /** The set before the first write. */
  public static final RecordSet NONE = new RecordSet(RecordVersion.NONE, List.of());

  public RecordSet {
    records = List.copyOf(records);
    damaged = List.copyOf(damaged);
  }

  /** A set that can be read whole. */
  public RecordSet(RecordVersion head, List<StoredRecord> records) {
    this(head, records, List.of());
  }

  /** Whether there is a set; one without rules has its order as a record. */
  public boolean isPresent() {
    return !records.isEmpty() || !damaged.isEmpty();
  }
}

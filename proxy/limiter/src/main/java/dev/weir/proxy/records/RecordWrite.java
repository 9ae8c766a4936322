package dev.weir.proxy.records;

/**
 * A change of one record.
 *
 * @param expected the version that the record has now; {@link RecordVersion#NONE} if it must not
 *     exist; null for any.
 * @param json what it is to be, in any form; kept as {@link RecordJson} has it. Null to delete it.
 */
public record RecordWrite(RecordName name, RecordVersion expected, String json) {
  /**
   * @throws IllegalArgumentException if it is not JSON.
   */
  public RecordWrite {
    json = json == null ? null : RecordJson.record(json);
  }
}

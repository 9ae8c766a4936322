package dev.weir.proxy.records;

/** Is told of changed records, by a thread of the store of records. Must not block for long. */
public interface RecordListener {
  /** The set of rules has another version; {@link RecordStore#rules} returns it. */
  void rulesChanged(RecordVersion head);

  /**
   * A user's record has changed or is gone, or is about to be.
   *
   * @param version its ETag once it has changed: until a read finds that, it is read again.
   */
  void userChanged(String identity, RecordVersion version);

  /** Any user's record may have changed, or be about to. */
  void allUsersChanged();

  /** About how many users have a record now, as it is counted beside them. */
  void usersCounted(long count);
}

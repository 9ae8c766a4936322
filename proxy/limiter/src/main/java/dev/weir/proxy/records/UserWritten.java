package dev.weir.proxy.records;

/**
 * What became of one of several writes.
 *
 * @param version that the record has now; null if it was not written.
 * @param stale why it was not written; null if it was.
 */
public record UserWritten(RecordVersion version, StaleRecordException stale) {}

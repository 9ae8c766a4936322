package dev.weir.proxy.records;

/**
 * A record as it is kept.
 *
 * @param version in which it was written last: its ETag.
 * @param json one JSON value, in the form of {@link RecordJson}.
 */
public record StoredRecord(RecordName name, RecordVersion version, String json) {}

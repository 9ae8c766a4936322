package dev.weir.proxy.records;

import java.util.List;

/**
 * A service's set of rules in one version: all its rules and other parts.
 *
 * @param head {@link RecordVersion#NONE} if the store has no set: then the rules of the file hold.
 */
public record RecordSet(RecordVersion head, List<StoredRecord> records) {}

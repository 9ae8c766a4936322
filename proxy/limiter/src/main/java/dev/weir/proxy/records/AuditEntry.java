package dev.weir.proxy.records;

import java.time.Instant;

/**
 * A change, as the audit keeps it.
 *
 * @param id names the entry: its place in the audit; later entries have higher ones.
 * @param action {@code create}, {@code update} or {@code delete} of a record, or another act of an
 *     operator: {@code ban}, {@code reset}, {@code reload}.
 * @param object what was changed.
 * @param before the record before, as JSON; null if there was none.
 * @param after the record after, as JSON; null if there is none.
 * @param previousHash SHA-256 of the entry before, in hexadecimal; zeros for the first.
 */
public record AuditEntry(
    String id,
    Instant at,
    Author author,
    String action,
    RecordName object,
    String before,
    String after,
    String previousHash) {}

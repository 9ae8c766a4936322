package dev.weir.proxy.records;

import java.util.List;

/**
 * Some entries of an audit, the newest first.
 *
 * @param next where to go on; null at the end. A page may have fewer entries than were asked for,
 *     or none: a store looks only at so many at once.
 */
public record AuditPage(List<AuditEntry> entries, String next) {}

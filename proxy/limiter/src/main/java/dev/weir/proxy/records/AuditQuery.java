package dev.weir.proxy.records;

import java.time.Instant;

/**
 * Which entries of the audit are asked for, the newest first. Null asks for all.
 *
 * @param from the earliest time, inclusive.
 * @param to the latest time, exclusive.
 * @param author the name of who made the change.
 * @param object the id of what was changed: a rule, a part or a user.
 * @param kind of what was changed.
 * @param after {@link AuditPage#next} of the page before; null for the first.
 * @param most entries of a page, 1 to 1,000.
 */
public record AuditQuery(
    Instant from,
    Instant to,
    String author,
    String object,
    AuditKind kind,
    String after,
    int most) {
  /** Asks for entries of each kind. */
  public AuditQuery(
      Instant from, Instant to, String author, String object, String after, int most) {
    this(from, to, author, object, null, after, most);
  }

  /** Asks for an entry, wherever its page is. */
  public boolean matches(AuditEntry entry) {
    return (from == null || !entry.at().isBefore(from))
        && (to == null || entry.at().isBefore(to))
        && (kind == null || kind.has(entry.object()))
        && (author == null || author.equals(entry.author().name()))
        && (object == null || object.equals(entry.object().id()));
  }
}

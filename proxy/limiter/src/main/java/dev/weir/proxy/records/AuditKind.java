package dev.weir.proxy.records;

import dev.weir.proxy.records.RecordName.Kind;

/** Of what an entry of the audit tells. */
public enum AuditKind {
  /** A rule, or another part of the set. */
  RULES,
  /** A user. */
  USERS;

  boolean has(RecordName object) {
    return (object.kind() == Kind.USER) == (this == USERS);
  }
}

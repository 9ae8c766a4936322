package dev.weir.proxy.records;

/**
 * The name of a record.
 *
 * @param id of a rule its id, of a part of a set of rules the part's key in the rules file ({@code
 *     everywhere}, {@code identities}), of a user the identity as the decision API takes it.
 */
public record RecordName(Kind kind, String id) {
  /** The kind of thing that a record is about. */
  public enum Kind {
    RULE,
    PART,
    USER
  }
}

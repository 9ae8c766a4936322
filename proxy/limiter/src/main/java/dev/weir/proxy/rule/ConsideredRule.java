package dev.weir.proxy.rule;

/**
 * A rule beside one request: whether the request has it, and if not, why.
 *
 * @param failed the first field of {@code match} that the request does not fulfil, such as {@code
 *     host} or {@code headers.x-env}; null if it fulfils all.
 * @param because the reason, for people; empty for the rule that the request has.
 */
public record ConsideredRule(Rule rule, Result result, String failed, String because) {
  /** The result of looking at a rule. */
  public enum Result {
    /** The request has this rule. */
    CHOSEN,
    /** The request fulfils it, and has a more specific one. */
    BEHIND,
    /** The request does not fulfil it. */
    FAILED
  }
}

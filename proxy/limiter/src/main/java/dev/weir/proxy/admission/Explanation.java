package dev.weir.proxy.admission;

import dev.weir.proxy.request.CostFault;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.ConsideredRule;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.spec.KeySpec;
import java.util.List;

/**
 * How one request is decided, up to the budgets: {@link Explainer} makes it.
 *
 * @param listed the list that decides on the client, before any rule.
 * @param considered all rules, in the order of the file.
 * @param rule null if the request has none, or a list decides.
 * @param refusal for which the request is refused before any limit; null if it is not.
 * @param bannedForNs how much longer the identity is banned; 0 if it is not.
 * @param isEnforced whether refusals by the rule's own limits take effect for this request.
 * @param isOnce whether a repeat of a request that passed passes again, for no charge: it has an
 *     idempotency key, which the explanation does not look for.
 * @param costFault what is wrong with the header that says the cost; null for nothing.
 * @param keys whose budgets are charged: one for each key of the rule.
 * @param limits what is charged, in the order of the charges; none if the request is refused.
 */
public record Explanation(
    AddressLists.Listed listed,
    List<ConsideredRule> considered,
    Rule rule,
    RefusalReason refusal,
    long bannedForNs,
    boolean isEnforced,
    boolean isOnce,
    CostFault costFault,
    List<Key> keys,
    List<Limit> limits) {
  /**
   * The identity by one key.
   *
   * @param identity as names in the store have it, secrets hashed; null if it cannot be read.
   * @param source from where it was read; null if it cannot be.
   * @param fault why it cannot be read; null if it was.
   */
  public record Key(String key, String identity, String source, RefusalReason fault) {
    /** Whether all callers together are the identity. */
    public boolean isOfAll() {
      return key.equals(KeySpec.ALL.toString());
    }
  }

  /**
   * One charge.
   *
   * @param row the limit's place among the rows of a verdict.
   * @param identity of its key.
   * @param units what the request takes, in units of the limit.
   * @param isOfAllRequests whether it is a limit of all requests, under {@code everywhere}.
   * @param isEnforced whether its refusal takes effect.
   */
  public record Limit(
      Budget budget,
      int row,
      Key identity,
      long units,
      boolean isOfAllRequests,
      boolean isEnforced) {}

  public Explanation {
    considered = List.copyOf(considered);
    keys = List.copyOf(keys);
    limits = List.copyOf(limits);
  }

  /** Whether budgets decide on the request. */
  public boolean isLimited() {
    return refusal == null && !limits.isEmpty();
  }
}

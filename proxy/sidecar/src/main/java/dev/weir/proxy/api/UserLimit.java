package dev.weir.proxy.api;

import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.rule.Plan;
import dev.weir.proxy.rule.spec.Amount;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A limit as it is for one user.
 *
 * @param rule the id of its rule; {@code everywhere} of the limits of all requests.
 * @param name by which records and answers name it.
 * @param amount how much the user has.
 * @param says who says so.
 * @param mode of the limit: where its budget is kept.
 * @param left null if it is not known, or there is no limit.
 * @param fault why it is not known; null if it is.
 * @param bannedForNs how much longer the user is banned under the rule; 0 if that is not so.
 */
public record UserLimit(
    String rule,
    String name,
    Amount amount,
    Plan.Says says,
    String mode,
    Left left,
    String fault,
    long bannedForNs) {
  private static final double NS_PER_S = 1e9;

  /**
   * What is left of the user's budget, in units of the limit.
   *
   * @param held by requests until they end.
   * @param resetAfterNs until nothing is used; 0 if nothing is now, and of requests at a time.
   */
  public record Left(long capacity, long remaining, long held, long resetAfterNs) {
    private long used() {
      return Math.max(0, capacity - remaining - held);
    }
  }

  /** Its members in an answer. */
  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", name);
    json.put("rule", rule);
    json.put("limit", UserRecord.json(amount));
    json.put("said_by", says.name().toLowerCase(Locale.ROOT));
    json.put("mode", mode);
    if (left != null) {
      json.put("used", left.used());
      json.put("held", left.held());
      json.put("left", left.remaining());
      json.put("reset_after_seconds", left.resetAfterNs() / NS_PER_S);
    }
    if (fault != null) {
      json.put("fault", fault);
    }
    if (bannedForNs > 0) {
      json.put("banned_for_seconds", bannedForNs / NS_PER_S);
    }
    return json;
  }
}

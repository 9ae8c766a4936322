package dev.weir.proxy.explain;

import dev.weir.proxy.admission.AddressLists;
import dev.weir.proxy.admission.Explanation;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.rule.ConsideredRule;
import dev.weir.proxy.rule.spec.RefusalSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * A request with the explanation of its decision, and with what is left of its budgets.
 *
 * @param left null if nobody was asked, as no sidecar runs.
 */
public record ExplainedRequest(
    DescribedRequest request, Explanation explanation, BudgetsLeft left) {
  /** The rules that are shown one by one. */
  static final int MOST_RULES = 100;

  private static final int MOST_CHARACTERS = 300;

  /** The rules that are shown: those of this host and path first, then others, as they stand. */
  List<ConsideredRule> shown() {
    List<ConsideredRule> all = explanation.considered();
    if (all.size() <= MOST_RULES) {
      return all;
    }
    List<ConsideredRule> near = all.stream().filter(ExplainedRequest::isNear).toList();
    List<ConsideredRule> shown =
        new ArrayList<>(near.subList(0, Math.min(near.size(), MOST_RULES)));
    all.stream()
        .filter(rule -> rule.result() == ConsideredRule.Result.CHOSEN && !shown.contains(rule))
        .forEach(shown::add);
    return shown;
  }

  private static boolean isNear(ConsideredRule rule) {
    return rule.failed() == null || !List.of("host", "path", "grpc").contains(rule.failed());
  }

  /** The number of rules that are not shown. */
  int hiddenCount(List<ConsideredRule> shown) {
    return explanation.considered().size() - shown.size();
  }

  /** Why a request does not have a rule, at a length for people. */
  static String because(ConsideredRule rule) {
    String text = rule.because();
    return text.length() > MOST_CHARACTERS ? text.substring(0, MOST_CHARACTERS) + "..." : text;
  }

  /** The limit that would refuse the request now; null if none would, or that is not known. */
  Explanation.Limit refusing() {
    Explanation.Limit refusing = null;
    long longestNs = -1;
    for (Explanation.Limit limit : explanation.limits()) {
      BudgetsLeft.Left of = left(limit);
      if (of != null && limit.isEnforced() && !of.admits() && of.retryAfterNs() > longestNs) {
        refusing = limit;
        longestNs = of.retryAfterNs();
      }
    }
    return refusing;
  }

  /** The units left of a limit; null if they are not known. */
  BudgetsLeft.Left left(Explanation.Limit limit) {
    return left == null ? null : left.of(limit.row(), limit.budget().policy().name());
  }

  /** The status of HTTP of a refusal, which may be the rule's own. */
  private int status(RefusalReason reason) {
    RefusalSpec own = explanation.rule() == null ? null : explanation.rule().refusal();
    return own == null || !reason.isByRule()
        ? reason.httpStatus()
        : own.choose(null).httpStatus(reason); // the same in all media types
  }

  /** The status with which the request would be refused now; 0 if none is known. */
  int status() {
    if (explanation.refusal() != null) {
      return explanation.isEnforced() ? status(explanation.refusal()) : 0;
    }
    return refusing() == null ? 0 : status(RefusalReason.OVER_LIMIT);
  }

  /** The decision in words. */
  String outcome() {
    if (explanation.listed() == AddressLists.Listed.ALLOWED) {
      return "passes without a limit: the address is on lists.allow";
    }
    if (explanation.refusal() != null) {
      RefusalReason reason = explanation.refusal();
      String refused = "refused with " + status(reason) + " " + reason.label();
      if (explanation.bannedForNs() > 0) {
        return refused + " for " + ExplanationText.seconds(explanation.bannedForNs());
      }
      return explanation.isEnforced()
          ? refused
          : explanation.limits().isEmpty()
              ? "passes; in the dry run it is " + refused
              : "the limits of all requests decide; in the dry run it is " + refused;
    }
    if (explanation.limits().isEmpty()) {
      return explanation.rule() == null
          ? "passes without a limit: it has no rule"
          : "passes without a limit";
    }
    if (left == null) {
      return "its budgets decide, which only a running sidecar knows: --admin ADDRESS asks one";
    }
    if (explanation.limits().stream().anyMatch(limit -> left(limit) == null)) {
      return "its budgets decide, which are not known now: "
          + (left.fault() == null ? "the rules have just changed" : left.fault().label());
    }
    Explanation.Limit refusing = refusing();
    return refusing == null
        ? "passes now"
        : "refused now with "
            + status()
            + " by "
            + refusing.budget().policy().name()
            + (explanation.isOnce() ? ", unless its idempotency key has passed before" : "");
  }
}

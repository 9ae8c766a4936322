package dev.weir.proxy.explain;

import dev.weir.proxy.admission.AddressLists;
import dev.weir.proxy.admission.Explanation;
import dev.weir.proxy.rule.ConsideredRule;
import dev.weir.proxy.rule.Plan;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.Thousandths;
import java.util.List;
import java.util.Locale;

/** An explanation as text for a terminal. */
public final class ExplanationText {
  private static final double NS_PER_S = 1e9;

  private final ExplainedRequest explained;
  private final Explanation explanation;
  private final StringBuilder out = new StringBuilder();

  private ExplanationText(ExplainedRequest explained) {
    this.explained = explained;
    explanation = explained.explanation();
  }

  /** The whole text, with a line break at its end. */
  public static String of(ExplainedRequest explained) {
    return new ExplanationText(explained).write();
  }

  private String write() {
    DescribedRequest request = explained.request();
    line(
        "%s %s, host %s, from %s",
        request.method(), request.path(), request.host(), request.from());
    if (explanation.listed() != AddressLists.Listed.NEITHER) {
      boolean isAllowed = explanation.listed() == AddressLists.Listed.ALLOWED;
      line("lists: the address is on lists.%s, before any rule", isAllowed ? "allow" : "block");
    }
    writeRules();
    writeKeys();
    writeLimits();
    line("outcome: %s", explained.outcome());
    return out.toString();
  }

  private void writeRules() {
    line(explanation.considered().isEmpty() ? "rules: none" : "rules:");
    List<ConsideredRule> shown = explained.shown();
    for (ConsideredRule rule : shown) {
      boolean isChosen = rule.result() == ConsideredRule.Result.CHOSEN;
      line(
          "  %s: %s", rule.rule().id(), isChosen ? "yes" : "no, " + ExplainedRequest.because(rule));
    }
    int hidden = explained.hiddenCount(shown);
    if (hidden > 0) {
      line("  and %d more, most of other hosts or paths", hidden);
    }
    if (explanation.rule() != null && !explanation.isEnforced()) {
      line("dry run: for this request the rule's own limits only count");
    }
  }

  private void writeKeys() {
    if (!explanation.keys().isEmpty()) {
      line("identities:");
    }
    for (Explanation.Key key : explanation.keys()) {
      line(
          "  %s: %s",
          key.key(),
          key.fault() != null
              ? key.fault().label()
              : key.isOfAll() ? "all callers" : key.identity() + ", from " + key.source());
    }
  }

  private void writeLimits() {
    if (!explanation.limits().isEmpty()) {
      line("limits:");
    }
    for (Explanation.Limit limit : explanation.limits()) {
      BudgetSpec spec = limit.budget().spec();
      String burst =
          spec.limit().burst() == 0
              ? ""
              : ", burst " + Thousandths.text(spec.limit().burst(), spec.limit().unit());
      line(
          "  %s: %s%s%s, mode %s, by %s %s%s%s%s",
          limit.budget().policy().name(),
          spec.limit().rate(),
          spec.limit().isConcurrency() ? "" : " " + spec.limit().algorithm(),
          burst,
          spec.mode(),
          limit.identity().key(),
          limit.identity().isOfAll() ? "callers" : limit.identity().identity(),
          saidBy(limit),
          limit.isOfAllRequests() ? ", everywhere" : "",
          limit.isEnforced() ? "" : ", counts only");
      line(
          "    %s %s%s%s",
          spec.holds() ? "holds" : "takes",
          Thousandths.text(limit.units(), spec.limit().unit()),
          spec.holds() ? " until it ends" : "",
          left(limit));
    }
    if (explanation.costFault() != null) {
      line(
          "  the header with the cost is not believed: %s",
          explanation.costFault().name().toLowerCase(Locale.ROOT));
    }
  }

  private static String saidBy(Explanation.Limit limit) {
    String who = Plan.saidBy(limit.budget());
    return who == null ? "" : ", as " + who + " says";
  }

  private String left(Explanation.Limit limit) {
    BudgetsLeft.Left left = explained.left(limit);
    if (left == null) {
      return "";
    }
    String retry =
        left.admits()
            ? ""
            : left.retryAfterNs() == 0
                ? ", which is too little, and always will be"
                : ", which is too little for " + seconds(left.retryAfterNs());
    BudgetSpec spec = limit.budget().spec();
    String held = spec.holds() ? ", %d held".formatted(left.held()) : "";
    String back =
        spec.limit().isConcurrency()
            ? ""
            : (spec.holds() ? ", what is used back in " : ", all back in ")
                + seconds(left.resetAfterNs());
    return "; %d of %d left%s%s%s".formatted(left.remaining(), left.capacity(), held, back, retry);
  }

  static String seconds(long ns) {
    return String.format(Locale.ROOT, "%.1f s", ns / NS_PER_S);
  }

  private void line(String format, Object... values) {
    out.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}

package dev.weir.proxy.rule;

import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All rules, compiled. Immutable but for this node's {@link Shares}, and swapped whole: an event
 * loop that reads the reference once per request never sees half of a change.
 */
public final class RuleSet {
  /** No rules: nothing matches. */
  public static final RuleSet EMPTY = new RuleSet(List.of(), false, 0, null, new CompileTime(0, 0));

  private final List<Rule> rules;
  private final Map<String, Rule> byId = new HashMap<>();
  private final RuleMatcher matcher;
  private final boolean ignoreCase;
  private final long version;

  private RuleSet(
      List<RuleSpec> specs, boolean ignoreCase, long version, RuleSet previous, CompileTime clock) {
    this.ignoreCase = ignoreCase;
    this.version = version;
    Rule[] compiled = new Rule[specs.size()];
    for (int i = 0; i < compiled.length; i++) {
      RuleSpec spec = specs.get(i);
      compiled[i] = new Rule(spec, i, version, previous.byId.get(spec.id()), clock);
      byId.put(spec.id(), compiled[i]);
    }
    this.rules = List.of(compiled);
    this.matcher = new RuleMatcher(rules, ignoreCase);
  }

  /**
   * Compiles rules that {@link RuleSpec#check} found nothing wrong with, with ids that differ.
   *
   * @param ignoreCase whether paths match whatever the case of their ASCII letters, for services
   *     that do not tell {@code /A} from {@code /a}.
   * @param previous the set to be replaced, whose budgets go on; {@link #EMPTY} at the start.
   * @param unixEpochNs 1970-01-01T00:00Z on the clock of the checks: the windows of the clock and
   *     the calendar are counted from there.
   * @param nowNs the time on the clock of the checks.
   * @throws BadValueException if the patterns mix wildcards in too many ways, or where {@link
   *     #checkChange} finds too many names.
   */
  public static RuleSet compile(
      List<RuleSpec> specs, boolean ignoreCase, RuleSet previous, long unixEpochNs, long nowNs) {
    CompileTime clock = new CompileTime(unixEpochNs, nowNs);
    return new RuleSet(specs, ignoreCase, previous.version + 1, previous, clock);
  }

  /** Compiles rules at the clock's beginning. */
  public static RuleSet compile(
      List<RuleSpec> specs, boolean ignoreCase, RuleSet previous, long unixEpochNs) {
    return compile(specs, ignoreCase, previous, unixEpochNs, 0);
  }

  /** These rules, compiled anew to replace these. */
  public RuleSet again(long unixEpochNs, long nowNs) {
    List<RuleSpec> specs = rules.stream().map(Rule::spec).toList();
    return compile(specs, ignoreCase, this, unixEpochNs, nowNs);
  }

  /** When the first of the names in the store ends that budgets had before; never if none does. */
  public long formerNamesUntilNs() {
    long untilNs = Long.MAX_VALUE;
    for (Rule rule : rules) {
      for (Budget budget : rule.budgets()) {
        for (Budget.Former former : budget.formers()) {
          untilNs = Math.min(untilNs, former.untilNs());
        }
      }
    }
    return untilNs;
  }

  /**
   * Reports what these rules cannot become while they are in use.
   *
   * @param to each right by itself.
   * @param nowNs the time on the clock of the checks.
   * @param sink is told the fields as {@code rules[0].mode}.
   */
  public void checkChange(List<RuleSpec> to, long nowNs, RuleSpec.FaultSink sink) {
    for (int i = 0; i < to.size(); i++) {
      Rule before = byId.get(to.get(i).id());
      String at = "rules[" + i + "].";
      if (before != null) {
        before.checkChange(to.get(i), nowNs, (field, fault) -> sink.fault(at + field, fault));
      }
    }
  }

  /**
   * The rule for a request; null if there is none.
   *
   * <p>The most specific pattern wins: segment by segment from the left, a literal before {@code *}
   * before {@code **}. Between rules of one pattern the highest priority wins, then the first in
   * the file. A rule for other methods is passed over, and the next most specific one is tried. A
   * target without a path ({@code OPTIONS *}) matches {@code /**} only.
   */
  public Rule match(RequestView request) {
    return matcher.match(request);
  }

  /** The rule of an id; null if there is none. */
  public Rule find(String id) {
    return byId.get(id);
  }

  /** Makes every budget's share of its limit. */
  void divide(int nodeCount, int rank) {
    for (Rule rule : rules) {
      for (Budget budget : rule.budgets()) {
        budget.divide(nodeCount, rank);
      }
    }
  }

  /**
   * Has the budgets of the set before decide by those of this one. To be called before anybody uses
   * this set; a set that is compiled and not published leaves them alone.
   */
  public void succeed() {
    for (Rule rule : rules) {
      rule.succeed();
    }
  }

  /**
   * To be called once everybody uses this set, and nobody is in the middle of a check by another.
   */
  public void completeAdoption() {
    for (Rule rule : rules) {
      rule.completeAdoption();
    }
  }

  /** All rules, each at its {@link Rule#index()}. */
  public List<Rule> rules() {
    return rules;
  }

  /** One more than that of the set it replaced. */
  public long version() {
    return version;
  }

  /** The rules that no request can reach, each with the one that stands before it. */
  public Map<Rule, Rule> unreachable() {
    return matcher.unreachable();
  }
}

package dev.weir.proxy.rule;

import dev.weir.proxy.request.RequestView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All rules, compiled. Immutable but for this node's {@link Shares}, and swapped whole: an event
 * loop that reads the reference once per request never sees half of a change.
 */
public final class RuleSet {
  /** No rules: nothing matches. */
  public static final RuleSet EMPTY = new RuleSet(List.of(), false, 0, null, 0);

  private final List<Rule> rules;
  private final Map<String, Rule> byId = new HashMap<>();
  private final RuleMatcher matcher;
  private final long version;

  private RuleSet(
      List<RuleSpec> specs, boolean ignoreCase, long version, RuleSet previous, long unixEpochNs) {
    this.version = version;
    Rule[] compiled = new Rule[specs.size()];
    for (int i = 0; i < compiled.length; i++) {
      RuleSpec spec = specs.get(i);
      compiled[i] = new Rule(spec, i, version, previous.byId.get(spec.id()), unixEpochNs);
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
   * @throws BadValueException if the patterns mix wildcards in too many ways.
   */
  public static RuleSet compile(
      List<RuleSpec> specs, boolean ignoreCase, RuleSet previous, long unixEpochNs) {
    return new RuleSet(specs, ignoreCase, previous.version + 1, previous, unixEpochNs);
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
  void divide(int nodeCount) {
    for (Rule rule : rules) {
      for (Budget budget : rule.budgets()) {
        budget.divide(nodeCount);
      }
    }
  }

  /**
   * Has the budgets of the set before decide by those of this one. To be called before anybody uses
   * this set; a set that is compiled and not published leaves them alone.
   */
  public void succeed() {
    for (Rule rule : rules) {
      rule.budgets().forEach(Budget::succeed);
    }
  }

  /**
   * To be called once everybody uses this set, and nobody is in the middle of a check by another.
   */
  public void completeAdoption() {
    for (Rule rule : rules) {
      rule.budgets().forEach(Budget::completeAdoption);
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

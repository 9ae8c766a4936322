package dev.weir.proxy.rule;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All rules, compiled. Immutable except for this node's {@link Shares}, and replaced as a whole: an
 * event loop that reads the reference once per request never sees half of a change.
 */
public final class RuleSet {
  /** No rules: nothing matches. */
  public static final RuleSet EMPTY =
      new RuleSet(List.of(), null, null, false, 0, null, Compilation.at(0, 0));

  private final List<Rule> rules;
  private final Map<String, Rule> byId = new HashMap<>();
  private final HostMatcher matcher;

  /** The limits of all requests, as the rule of those that no other matches; or null. */
  private final Rule everywhere;

  /** Who the users are; null if nothing says it. */
  private final UsersSpec users;

  private final boolean dependsOnIdentities;
  private final boolean ignoreCase;
  private final String storeMark;
  private final long version;

  private RuleSet(
      List<RuleSpec> specs,
      RuleSpec everywhereSpec,
      UsersSpec users,
      boolean ignoreCase,
      long version,
      RuleSet previous,
      Compilation with) {
    this.users = users;
    this.ignoreCase = ignoreCase;
    this.storeMark = with.storeMark();
    this.version = version;
    List<Rule> compiled = new ArrayList<>(specs.size() + 1);
    this.everywhere =
        everywhereSpec == null
            ? null
            : new Rule(everywhereSpec, specs.size(), version, previous.everywhere, with, null);
    for (RuleSpec spec : specs) {
      Rule before = previous == null ? null : previous.byId.get(spec.id());
      compiled.add(new Rule(spec, compiled.size(), version, before, with, everywhere));
    }
    this.matcher = new HostMatcher(List.copyOf(compiled), ignoreCase);
    this.dependsOnIdentities =
        everywhere != null || specs.stream().anyMatch(spec -> spec.match().asksMore());
    if (everywhere != null) {
      compiled.add(everywhere);
    }
    compiled.forEach(rule -> byId.put(rule.id(), rule));
    this.rules = List.copyOf(compiled);
  }

  /**
   * Compiles rules in which {@link RuleSpec#check} found no fault, with different ids.
   *
   * @param everywhere the limits of all requests; null if there are none.
   * @param users who the users are; null if nothing says it.
   * @param ignoreCase whether paths match regardless of the case of ASCII letters.
   * @param previous the set to be replaced, whose budgets continue; {@link #EMPTY} at the start.
   * @param unixEpochNs 1970-01-01T00:00Z by the clock of the checks: windows of the clock and the
   *     calendar are counted from it.
   * @param nowNs by the clock of the checks.
   * @throws BadValueException if the patterns mix wildcards in too many ways, or if {@link
   *     #checkChange} finds too many names.
   */
  public static RuleSet compile(
      List<RuleSpec> specs,
      RuleSpec everywhere,
      UsersSpec users,
      boolean ignoreCase,
      RuleSet previous,
      long unixEpochNs,
      long nowNs) {
    Compilation with = new Compilation(unixEpochNs, nowNs, previous.storeMark, users);
    return new RuleSet(specs, everywhere, users, ignoreCase, previous.version + 1, previous, with);
  }

  /** Compiles rules whose limits know no users. */
  public static RuleSet compile(
      List<RuleSpec> specs,
      RuleSpec everywhere,
      boolean ignoreCase,
      RuleSet previous,
      long unixEpochNs,
      long nowNs) {
    return compile(specs, everywhere, null, ignoreCase, previous, unixEpochNs, nowNs);
  }

  /** Compiles rules without limits of all requests. */
  public static RuleSet compile(
      List<RuleSpec> specs, boolean ignoreCase, RuleSet previous, long unixEpochNs, long nowNs) {
    return compile(specs, null, ignoreCase, previous, unixEpochNs, nowNs);
  }

  /** Compiles rules at time 0 of the clock. */
  public static RuleSet compile(
      List<RuleSpec> specs, boolean ignoreCase, RuleSet previous, long unixEpochNs) {
    return compile(specs, ignoreCase, previous, unixEpochNs, 0);
  }

  /** Compiles these rules again, to replace these. */
  public RuleSet again(long unixEpochNs, long nowNs) {
    List<RuleSpec> specs =
        rules.stream().filter(rule -> rule != everywhere).map(Rule::spec).toList();
    RuleSpec ofAll = everywhere == null ? null : everywhere.spec();
    return compile(specs, ofAll, users, ignoreCase, this, unixEpochNs, nowNs);
  }

  /**
   * A set without rules, to replace this one. Rules that replace it in turn begin with fresh
   * budgets, in memory and in the store.
   *
   * @param mark stands behind the rule in the names of those budgets in the store, and of all that
   *     replace them; nothing that an id may have.
   */
  public RuleSet cleared(String mark) {
    Compilation with = new Compilation(0, 0, mark, null);
    return new RuleSet(List.of(), null, null, false, version + 1, this, with);
  }

  /** When the first former name in the store ends; never if there is none. */
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
   * Reports what these rules cannot become while they are in use, because what was used would be
   * forgotten: a change between local counts and the store's, and more former names than a check
   * may charge.
   *
   * @param to rules without a fault of their own.
   * @param toEverywhere the limits of all requests; null if there are none.
   * @param nowNs by the clock of the checks.
   * @param sink receives fields such as {@code rules[0].mode}.
   */
  public void checkChange(
      List<RuleSpec> to, RuleSpec toEverywhere, long nowNs, RuleSpec.FaultSink sink) {
    Rule next = null;
    if (toEverywhere != null) {
      next = changed(everywhere, toEverywhere, nowNs, null, sink);
      if (next == null) {
        return;
      }
    }
    for (int i = 0; i < to.size(); i++) {
      Rule before = byId.get(to.get(i).id());
      String at = "rules[" + i + "].";
      changed(before, to.get(i), nowNs, next, (field, fault) -> sink.fault(at + field, fault));
    }
  }

  /**
   * Compiles a rule in the place of another one, and reports what that one cannot become.
   *
   * @param before null if the rule is new.
   * @return null if it cannot be compiled.
   */
  private static Rule changed(
      Rule before, RuleSpec to, long nowNs, Rule everywhere, RuleSpec.FaultSink sink) {
    Rule next = null;
    try {
      next = new Rule(to, 0, 0, before, Compilation.at(0, nowNs), everywhere);
    } catch (BadValueException tooManyNames) {
      sink.fault(to.limitsField(), tooManyNames);
    }
    if (before != null) {
      before.checkChange(to, sink);
    }
    return next;
  }

  /**
   * The rule for a request, or the limits of all requests if it has none; null without either.
   *
   * <p>The most specific host wins: the very host, then the longest of the hosts that it is below,
   * then every host. Then the most specific pattern: segment by segment from the left, a literal
   * before {@code *} before {@code **}. Between rules of one host and pattern the highest priority
   * wins, then the most conditions, then the first in the file. A rule whose conditions do not hold
   * is passed over, and the next most specific one is tried. A target without a path ({@code
   * OPTIONS *}) matches {@code /**} only.
   */
  public Rule match(MatchedRequest request) {
    Rule matched = matcher.match(request);
    return matched == null ? everywhere : matched;
  }

  /**
   * Whether the identities that a program's check gives decide which rule it has, or which limits
   * of all requests apply, and not its path and method alone.
   */
  public boolean dependsOnIdentities() {
    return dependsOnIdentities;
  }

  /** Who the users are; null if nothing says it. */
  public UsersSpec users() {
    return users;
  }

  /** The rule of an id; null if there is none. */
  public Rule find(String id) {
    return byId.get(id);
  }

  /** Computes this node's share of every limit. */
  void divide(int nodeCount, int rank) {
    for (Rule rule : rules) {
      for (Budget budget : rule.budgets()) {
        budget.divide(nodeCount, rank);
      }
    }
  }

  /**
   * Links the budgets of the previous set to those of this one. Call it before anybody uses this
   * set; a set that is compiled and never published changes nothing.
   */
  public void succeed() {
    for (Rule rule : rules) {
      rule.succeed();
    }
  }

  /**
   * Marks the budgets of the previous set as unused, once all event loops use this set and none is
   * inside a check by another.
   */
  public void completeAdoption() {
    for (Rule rule : rules) {
      rule.completeAdoption();
    }
  }

  /** All rules, each at its {@link Rule#index()}; the last one may be that of all requests. */
  public List<Rule> rules() {
    return rules;
  }

  /** Whether paths match regardless of the case of ASCII letters. */
  boolean ignoresCase() {
    return ignoreCase;
  }

  /** The rules that no request can reach, in the order of the file; worked out anew. */
  public List<ShadowedRule> unreachable() {
    return rules.size() < 2 ? List.of() : new ShadowSearch(this).run();
  }
}

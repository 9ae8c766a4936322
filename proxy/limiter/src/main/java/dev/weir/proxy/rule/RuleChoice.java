package dev.weir.proxy.rule;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.FieldCondition;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.ValueCondition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rules of one host and path, in the order in which they are tried. If more than {@value
 * #MOST_UNINDEXED} of them ask one header or parameter for exact values, they are found by hash of
 * the values that a request has, so that their number does not matter.
 *
 * <p>Built by {@link RuleMatcher}, and not changed after {@link #index}.
 */
final class RuleChoice {
  /** The most rules that ask one header or parameter for exact values and are tried in turn. */
  private static final int MOST_UNINDEXED = 8;

  /** The most rules with conditions that are tried in turn, of all and of each exact value. */
  static final int MOST_TRIED = 64;

  private static final ExactIndex[] NO_INDEXES = {};

  static final RuleChoice NONE = new RuleChoice();

  /** All rules, by their places. */
  private Rule[] rules = {};

  private ExactIndex[] indexes = NO_INDEXES;

  /** The rules that no index has; used if there are indexes. */
  private PlacedRule[] others;

  /** Appends a rule. */
  void add(Rule rule) {
    rules = Arrays.copyOf(rules, rules.length + 1);
    rules[rules.length - 1] = rule;
  }

  /**
   * Ends the building.
   *
   * @throws BadValueException if a request would have to be compared with too many rules.
   */
  void index() {
    List<PlacedRule> left = new ArrayList<>();
    for (Rule rule : rules) {
      left.add(new PlacedRule(rule, left.size()));
    }
    List<ExactIndex> made = new ArrayList<>();
    KeyPart part = left.size() > MOST_UNINDEXED ? mostAsked(left) : null;
    for (; part != null; part = mostAsked(left)) {
      ExactIndex index = new ExactIndex(part);
      left.removeIf(index::take);
      made.add(index);
    }
    long most = made.size() + left.stream().filter(placed -> asksMore(placed)).count();
    for (ExactIndex index : made) {
      most = Math.max(most, index.mostOfOneValue());
    }
    if (most > MOST_TRIED) {
      throw new BadValueException(
          rules[0].spec().match().path().toString(),
          "at most %d rules of one host and path that no exact value of a header or parameter"
                  .formatted(MOST_TRIED)
              + " tells apart");
    }
    indexes = made.isEmpty() ? NO_INDEXES : made.toArray(ExactIndex[]::new);
    others = left.toArray(PlacedRule[]::new);
  }

  private static boolean asksMore(PlacedRule placed) {
    return placed.rule().spec().match().asksMore();
  }

  /** The header or parameter for which rules have most exact values; null if few rules have any. */
  private static KeyPart mostAsked(List<PlacedRule> rules) {
    Map<KeyPart, Set<ValueCondition>> values = new LinkedHashMap<>();
    Map<KeyPart, Integer> counts = new HashMap<>();
    for (PlacedRule placed : rules) {
      for (FieldCondition field : placed.rule().spec().match().fields()) {
        if (field.isExact()) {
          values.computeIfAbsent(field.part(), part -> new HashSet<>()).addAll(field.tests());
          counts.merge(field.part(), 1, Integer::sum);
        }
      }
    }
    KeyPart most = null;
    for (KeyPart part : values.keySet()) {
      if (counts.get(part) > MOST_UNINDEXED
          && (most == null || values.get(part).size() > values.get(most).size())) {
        most = part;
      }
    }
    return most;
  }

  /** The first rule whose conditions a request fulfils; null if there is none. */
  Rule first(MatchedRequest request) {
    return indexes.length == 0 ? firstInTurn(request) : firstByIndex(request);
  }

  private Rule firstInTurn(MatchedRequest request) {
    for (Rule rule : rules) {
      if (rule.holds(request)) {
        return rule;
      }
    }
    return null;
  }

  private Rule firstByIndex(MatchedRequest request) {
    PlacedRule best = PlacedRule.first(others, request, null);
    for (ExactIndex index : indexes) {
      best = request.search().first(index, best);
    }
    return best == null ? null : best.rule();
  }
}

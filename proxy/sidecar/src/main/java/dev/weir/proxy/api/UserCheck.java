package dev.weir.proxy.api;

import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordFault;
import dev.weir.proxy.records.UserOverride;
import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Compares what is written of a user with the rules in use: tiers and limits that they do not know,
 * and amounts that their limits cannot have, would change nothing. What the record has already may
 * stay, as rules change and users do not.
 */
final class UserCheck {
  /** The names that a message lists. */
  private static final int MOST_NAMES = 20;

  private final RuleSet rules;
  private final List<RecordFault> faults = new ArrayList<>();

  private UserCheck(RuleSet rules) {
    this.rules = rules;
  }

  /**
   * The faults of a record.
   *
   * @param before the record that it replaces.
   */
  static List<RecordFault> faults(RuleSet rules, UserRecord record, UserRecord before) {
    UserCheck check = new UserCheck(rules);
    check.tier("", record.tier(), before.tier());
    check.limits("", record.limits(), before.limits());
    UserOverride override = record.override();
    if (override != null) {
      UserOverride kept = before.override();
      check.tier("/override", override.tier(), kept == null ? null : kept.tier());
      check.limits("/override", override.limits(), kept == null ? Map.of() : kept.limits());
    }
    return check.faults;
  }

  private void tier(String at, String tier, String before) {
    UsersSpec users = rules.users();
    List<String> known = users == null ? List.of() : users.tiers();
    if (tier != null && !tier.equals(before) && !known.contains(tier)) {
      fault(at + "/tier", tier, oneOf("a tier of the rules", known));
    }
  }

  private void limits(String at, Map<String, Amount> limits, Map<String, Amount> before) {
    limits.forEach(
        (name, amount) -> {
          if (!amount.equals(before.get(name))) {
            limit(JsonText.pointer(at + "/limits", name), name, amount);
          }
        });
  }

  private void limit(String at, String name, Amount amount) {
    List<Budget> ofName =
        ofUsers(rules).stream().filter(budget -> budget.policy().name().equals(name)).toList();
    if (ofName.isEmpty()) {
      fault(at, name, oneOf("a limit of the rules that users may have", names(rules)));
    } else if (ofName.stream().noneMatch(budget -> budget.spec().takes(amount))) {
      fault(at, amount.toString(), ofName.get(0).spec().expectedOf(amount));
    }
  }

  /** The limits of which users may have other numbers. */
  private static List<Budget> ofUsers(RuleSet rules) {
    return rules.rules().stream()
        .flatMap(rule -> rule.budgets().stream())
        .filter(Budget::isOfUsers)
        .toList();
  }

  /** The names of those limits. */
  private static List<String> names(RuleSet rules) {
    return List.copyOf(
        ofUsers(rules).stream()
            .map(budget -> budget.policy().name())
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  /** Says what was expected, by names. */
  static String oneOf(String what, List<String> names) {
    if (names.isEmpty()) {
      return what + ", which have none";
    }
    String more = names.size() > MOST_NAMES ? ", ..." : "";
    return what
        + ": "
        + names.stream().limit(MOST_NAMES).collect(Collectors.joining(", ", "", more));
  }

  private void fault(String pointer, String found, String expected) {
    faults.add(new RecordFault(pointer, 0, JsonText.shown(found), expected));
  }
}

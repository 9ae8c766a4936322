package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.Overflow;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.ArrayList;
import java.util.List;

/** Checks the limits of all requests, and what each rule says of them. */
final class EverywhereCheck {
  private static final String SECTION = RuleSpec.EVERYWHERE;

  /** The limits of all requests; null if there are none. */
  private final RuleSpec everywhere;

  private final YamlTree tree;
  private final Misfits misfits;
  private final List<String> names = new ArrayList<>();

  EverywhereCheck(RuleSpec everywhere, YamlTree tree, Misfits misfits) {
    this.everywhere = everywhere;
    this.tree = tree;
    this.misfits = misfits;
    if (everywhere != null) {
      everywhere.budgets().forEach(budget -> names.add(budget.isNamed() ? budget.ownName() : ""));
    }
  }

  /** Reports what is wrong with the limits by themselves. */
  void check(Faults faults) {
    if (everywhere == null) {
      return;
    }
    if (!faults.isFaultyWithin(SECTION)) {
      everywhere.check(misfits::add);
    }
    for (int i = 0; i < names.size(); i++) {
      String path = everywhere.fieldsOf(i) + "name";
      if (names.get(i).isEmpty() && !faults.isFaulty(path)) {
        faults.add(tree.line(path), path, "missing", "a name, by which rules take the limit");
      }
    }
  }

  /**
   * Reports what of a rule does not fit them.
   *
   * @param at what stands before the names of its fields.
   */
  void check(RuleSpec rule, String at) {
    if (rule.everywhere() != null) {
      checkNames(rule, at + SECTION);
    }
    if (everywhere == null) {
      return;
    }
    if (rule.id().equals(SECTION)) {
      String expected = "another id, as line " + tree.line(SECTION) + " has limits of that name";
      misfits.add(at + "id", rule.id(), expected);
    }
    if (rule.action() == RuleAction.LIMIT) {
      checkTogether(rule, at);
    }
  }

  private void checkNames(RuleSpec rule, String path) {
    String expected =
        everywhere == null
            ? "nothing, as the file has no limits everywhere"
            : rule.action() == RuleAction.DENY ? "nothing, as the action is deny" : "";
    if (!expected.isEmpty()) {
      List<String> found = rule.everywhere();
      misfits.add(path, found.isEmpty() ? "false" : String.join(", ", found), expected);
      return;
    }
    for (int i = 0; i < rule.everywhere().size(); i++) {
      String name = rule.everywhere().get(i);
      if (!names.contains(name)) {
        misfits.add(path + "[" + i + "]", name, "one of " + String.join(", ", names));
      } else if (rule.everywhere().indexOf(name) < i) {
        misfits.add(path + "[" + i + "]", name, "each limit once");
      }
    }
  }

  private void checkTogether(RuleSpec rule, String at) {
    List<String> taken = names.stream().filter(rule::takes).toList();
    if (taken.isEmpty()) {
      return;
    }
    if (rule.idempotency()) {
      misfits.add(at + "idempotency", "true", "false, or everywhere: false");
    }
    boolean holds =
        everywhere.budgets().stream()
            .anyMatch(budget -> budget.holds() && taken.contains(budget.ownName()));
    if (rule.countsMessages() && holds) {
      misfits.add(at + "cost", "messages", "units, or everywhere: false, as those limits hold");
    }
    int own = rule.budgets().size();
    if (own + taken.size() > RuleSpec.MAX_BUDGETS) {
      String expected = "at most %d, as the rule takes %d of everywhere, and none has more than %d";
      misfits.add(
          at + rule.limitsField(),
          own + " items",
          expected.formatted(
              RuleSpec.MAX_BUDGETS - taken.size(), taken.size(), RuleSpec.MAX_BUDGETS));
    }
    for (int i = 0; i < own; i++) {
      BudgetSpec budget = rule.budgets().get(i);
      String fields = at + rule.fieldsOf(i);
      if (budget.isNamed() && taken.contains(budget.ownName())) {
        String expected = "another name than that of everywhere[%d]";
        misfits.add(
            fields + "name", budget.ownName(), expected.formatted(names.indexOf(budget.ownName())));
      }
      if (budget.limit().overflow() == Overflow.QUEUE) {
        misfits.add(fields + "overflow", "queue", "reject, or everywhere: false");
      }
    }
  }
}

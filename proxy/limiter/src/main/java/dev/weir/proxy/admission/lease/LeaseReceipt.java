package dev.weir.proxy.admission.lease;

import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.StoreQuestion;
import dev.weir.proxy.store.map.StoreKeys;

/**
 * The data that it takes to give units of a lease back: whose they are, who granted them and when.
 * Belongs to a place of a hand, and is written and read only by the thread that has reserved it.
 * Reused.
 */
final class LeaseReceipt {
  private static final int BYTES_AT_FIRST = 64;

  private final StoreKeys keys = new StoreKeys(RuleSpec.MAX_BUDGETS, BYTES_AT_FIRST);
  private final long[] marks = new long[RuleSpec.MAX_BUDGETS];
  private BudgetGroup group;
  private long server;
  private long decidedAtUs;
  private long lifeUs;

  void set(BudgetGroup of, StoreDecision decision) {
    group = of;
    server = decision.server();
    decidedAtUs = decision.decidedAtUs();
    lifeUs = decision.lifeUs();
    keys.clear();
    keys.add(decision.keys(), decision.firstKey(), of.size());
    for (int i = 0; i < of.size(); i++) {
      marks[i] = decision.keptMark(i);
    }
  }

  /** Whose budgets they are, as it was when they were granted. */
  BudgetGroup group() {
    return group;
  }

  StoreKeys keys() {
    return keys;
  }

  /** Who granted them. */
  long server() {
    return server;
  }

  /** Makes a question that gives so many units back. */
  StoreQuestion giveBack(long units, StoreQuestion into) {
    into.giveBack(server, decidedAtUs, lifeUs).of(keys, 0, group.storeLimits()).upTo(units);
    for (int i = 0; i < group.size(); i++) {
      into.mark(i, marks[i]);
    }
    return into;
  }
}

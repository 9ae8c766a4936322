package dev.weir.proxy.admission.lease;

import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.StoreQuestion;
import dev.weir.proxy.store.map.StoreKeys;

/**
 * What it takes to return the units of a lease: its budgets, the server that granted it, and when.
 * Belongs to a place in the lease table, and is used only by the thread that has reserved that
 * place. Reused.
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

  /** The budgets, as they were when the units were granted. */
  BudgetGroup group() {
    return group;
  }

  StoreKeys keys() {
    return keys;
  }

  /** The server that granted them. */
  long server() {
    return server;
  }

  /** Fills in a question that returns units. */
  StoreQuestion giveBack(long units, StoreQuestion into) {
    into.giveBack(server, decidedAtUs, lifeUs).of(keys, 0, group.storeLimits()).upTo(units);
    for (int i = 0; i < group.size(); i++) {
      into.mark(i, marks[i]);
    }
    return into;
  }
}

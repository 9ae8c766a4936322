package dev.weir.proxy.admission;

import dev.weir.proxy.rule.Identities;
import dev.weir.proxy.rule.Rule;

/** Sends each request to the gate that decides on its rule. */
public final class GateByMode implements Gate {
  private final Gate local;
  private final Gate exact;

  public GateByMode(Gate local, Gate exact) {
    this.local = local;
    this.exact = exact;
  }

  @Override
  public void ask(long ticket, Rule rule, Identities identities, long nowNs, Outcome outcome) {
    (rule.asksStore() ? exact : local).ask(ticket, rule, identities, nowNs, outcome);
  }
}

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

  /** While the store is away, it is the local one that has charged for a rule of the other. */
  @Override
  public boolean keep(long ticket, Charge into) {
    return exact.keep(ticket, into) || local.keep(ticket, into);
  }

  @Override
  public void giveBack(Charge charge, long nowNs) {
    exact.giveBack(charge, nowNs);
    local.giveBack(charge, nowNs);
  }
}

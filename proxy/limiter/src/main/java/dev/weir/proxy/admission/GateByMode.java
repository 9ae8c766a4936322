package dev.weir.proxy.admission;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.spec.Mode;

/** Sends each question to the gate that decides on its charges, or to several gates. */
public final class GateByMode implements Gate {
  private final Gate local;
  private final Gate exact;
  private final Gate leased;
  private final SeveralGates both;

  /**
   * @param exact decides by the store.
   * @param leased decides by leased units, and by {@code exact}.
   */
  public GateByMode(LocalGate local, ExactGate exact, LeasedGate leased, LoopClock clock) {
    this.local = local;
    this.exact = exact;
    this.leased = leased;
    this.both = new SeveralGates(local, leased, clock);
  }

  @Override
  public Verdict ask(long ticket, Charges charges, long nowNs, Outcome outcome) {
    return charges.isMixed()
        ? both.ask(ticket, charges, nowNs, outcome)
        : of(charges.group(0).mode()).ask(ticket, charges, nowNs, outcome);
  }

  @Override
  public boolean decidesInOne(Charges charges) {
    return !charges.isMixed() && of(charges.group(0).mode()).decidesInOne(charges);
  }

  @Override
  public void prefetch(Rule rule, Identities of) {
    if (rule.localGroupCount() == rule.groupCount()) {
      local.prefetch(rule, of);
    }
  }

  @Override
  public void fetch() {
    local.fetch();
  }

  @Override
  public void sendGathered(long nowNs) {
    exact.sendGathered(nowNs);
  }

  private Gate of(Mode mode) {
    return switch (mode) {
      case LOCAL -> local;
      case EXACT -> exact;
      case LEASED -> leased;
    };
  }

  /**
   * Asks both gates: while the store is away, it is the local gate that has charged for a budget of
   * the store.
   */
  @Override
  public boolean keep(long ticket, RefundSlip into) {
    boolean isKept = leased.keep(ticket, into) | local.keep(ticket, into);
    return both.keep(ticket, into) | isKept;
  }

  @Override
  public void giveBack(RefundSlip charge, long nowNs) {
    leased.giveBack(charge, nowNs);
    local.giveBack(charge, nowNs);
  }

  @Override
  public long settle(Holding holding, int from, long nowNs) {
    long uncollected = 0;
    while (holding.count() > from) { // each settles the last ones that are its own
      uncollected += local.settle(holding, from, nowNs) + exact.settle(holding, from, nowNs);
    }
    return uncollected;
  }

  @Override
  public void rulesChanged() {
    leased.rulesChanged();
  }

  @Override
  public boolean ending() {
    return leased.ending() & exact.ending();
  }
}

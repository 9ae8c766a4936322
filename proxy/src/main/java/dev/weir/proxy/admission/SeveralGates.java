package dev.weir.proxy.admission;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Verdict;

/**
 * Questions whose charges are decided by more than one gate, all or none: this node's are decided
 * first, and only if they pass the store is asked. If it refuses, what was charged here goes back.
 * A client that leaves meanwhile leaves its charge behind.
 *
 * <p>One per event loop.
 */
final class SeveralGates implements Gate, Gate.Outcome {
  /** What one question has passed already, until its last gate has decided. */
  private static final class Passed {
    private final Verdict verdict = new Verdict();
    private final KeptCharge charge = new KeptCharge();
    private Outcome outcome;
    private long ticket;
  }

  private final LocalGate local;
  private final Gate exact;
  private final LoopClock clock;

  /** By parking place; made when needed. */
  private final Passed[] passed = new Passed[AdmissionHandler.PARKING_PLACES];

  /** What was told last, or is being told: its charge may still be kept. */
  private Passed told;

  SeveralGates(LocalGate local, Gate exact, LoopClock clock) {
    this.local = local;
    this.exact = exact;
    this.clock = clock;
  }

  @Override
  public Verdict ask(long ticket, Charges charges, long nowNs, Outcome outcome) {
    told = null;
    Verdict first = local.ask(ticket, charges, nowNs, outcome);
    if (!first.allowed()) {
      return first;
    }
    Passed own = take(ticket, outcome);
    own.verdict.set(first).addRows(first);
    if (charges.operation() == Operation.CHECK) {
      local.keep(ticket, own.charge);
    }
    Verdict last = exact.ask(ticket, charges, nowNs, this);
    return last == null ? null : join(own, last);
  }

  private Passed take(long ticket, Outcome outcome) {
    int place = (int) ticket;
    if (passed[place] == null) {
      passed[place] = new Passed();
    }
    Passed own = passed[place];
    own.charge.clear();
    own.ticket = ticket;
    own.outcome = outcome;
    return own;
  }

  @Override
  public void settle(long ticket, Verdict verdict) {
    Passed own = passed[(int) ticket];
    try {
      own.outcome.settle(ticket, join(own, verdict));
    } finally {
      told = null;
    }
  }

  /** Undoes what has passed if the last gate refuses; else chooses what the verdict is about. */
  private Verdict join(Passed own, Verdict last) {
    told = own;
    if (!last.allowed()) {
      local.giveBack(own.charge, clock.nowNs());
      own.charge.clear();
    } else if (last.policy() == null || share(own.verdict) < share(last)) {
      own.verdict.addRows(last);
      return own.verdict;
    }
    last.addRows(own.verdict);
    return last;
  }

  private static double share(Verdict verdict) {
    return (double) verdict.remaining() / verdict.limit();
  }

  @Override
  public boolean awaits(long ticket) {
    return passed[(int) ticket].outcome.awaits(ticket);
  }

  @Override
  public boolean keep(long ticket, KeptCharge into) {
    if (told == null || told.ticket != ticket || told.charge.count == 0) {
      return false;
    }
    into.addLocal(told.charge);
    told.charge.clear();
    return true;
  }
}

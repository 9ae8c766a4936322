package dev.weir.proxy.admission;

import dev.weir.proxy.loop.FreeList;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Verdict;

/**
 * Decides on questions whose charges belong to more than one gate, all or none: this node's charges
 * first, and only if they pass the store's. If the store refuses, this node's charges are returned;
 * if the client leaves meanwhile, they stay.
 *
 * <p>One per event loop.
 */
final class SeveralGates implements Gate {
  private final LocalGate local;
  private final Gate exact;
  private final LoopClock clock;

  /** One object for each late question, and one for a question that is decided at once. */
  private final FreeList<Passed> free = new FreeList<>(AdmissionHandler.MAX_LATE + 1, Passed::new);

  /**
   * The question whose verdict was passed on last, or is being passed on: its charge may still be
   * kept.
   */
  private Passed told;

  /**
   * The gates that one question has passed, until its last gate has decided. That may be after its
   * client has left, and its parking place is used by another.
   */
  private final class Passed implements Outcome {
    private final Verdict verdict = new Verdict();
    private final RefundSlip charge = new RefundSlip();
    private Outcome outcome;
    private long ticket;

    @Override
    public void settle(long ofTicket, Verdict last) {
      Verdict joined = join(this, last);
      try {
        outcome.settle(ticket, joined);
      } finally {
        leaveTold();
      }
    }

    @Override
    public boolean awaits(long ofTicket) {
      return outcome.awaits(ticket);
    }
  }

  SeveralGates(LocalGate local, Gate exact, LoopClock clock) {
    this.local = local;
    this.exact = exact;
    this.clock = clock;
  }

  @Override
  public Verdict ask(long ticket, Charges charges, long nowNs, Outcome outcome) {
    leaveTold();
    Verdict first = local.ask(ticket, charges, nowNs, outcome);
    if (!first.allowed()) {
      return first;
    }
    Passed own = free.take();
    own.ticket = ticket;
    own.outcome = outcome;
    own.charge.clear();
    own.verdict.set(first).addRows(first);
    if (charges.operation() == Operation.CHECK) {
      local.keep(ticket, own.charge);
    }
    Verdict last = exact.ask(ticket, charges, nowNs, own);
    return last == null ? null : join(own, last);
  }

  /**
   * Returns this node's charges if the last gate refuses; else chooses the budget that the verdict
   * is about.
   */
  private Verdict join(Passed own, Verdict last) {
    told = own;
    if (!last.allowed()) {
      local.giveBack(own.charge, clock.nowNs());
      own.charge.clear();
    } else if (last.policy() == null || own.verdict.shareLeft() < last.shareLeft()) {
      own.verdict.addRows(last);
      return own.verdict;
    }
    last.addRows(own.verdict);
    return last;
  }

  private void leaveTold() {
    if (told != null) {
      told.outcome = null;
      free.give(told);
      told = null;
    }
  }

  @Override
  public boolean keep(long ticket, RefundSlip into) {
    if (told == null || told.ticket != ticket || told.charge.count == 0) {
      return false;
    }
    into.addLocal(told.charge);
    told.charge.clear();
    return true;
  }
}

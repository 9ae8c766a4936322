package dev.weir.proxy.decision;

import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;

/** Lets every request pass: requests to the decision API have no limits themselves. */
final class Unlimited implements Admission {
  private final Verdict verdict = new Verdict();
  private final Asked asked = new Asked();

  @Override
  public Asked ask(Question question, VerdictListener asker, long nowNs) {
    return asked.settled(verdict.allowUnlimited());
  }

  @Override
  public long dueNs(long ticket) {
    return NOT_HELD;
  }

  @Override
  public int keep() {
    return NOTHING_KEPT;
  }

  @Override
  public void giveBack(int kept) {
    throw new IllegalStateException("nothing was kept");
  }

  @Override
  public void letStand(int kept) {
    throw new IllegalStateException("nothing was kept");
  }

  @Override
  public void ended(long ticket, RequestEnd end) {
    // Nothing is counted of it here.
  }
}

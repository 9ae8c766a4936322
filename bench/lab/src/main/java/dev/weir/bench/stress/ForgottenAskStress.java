package dev.weir.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The end of an ask that was forgotten meets the next one, which stays the only one. */
@JCStressTest
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "The next one is under way.")
@Outcome(id = "false, false", expect = ACCEPTABLE, desc = "The next one lost, and may come again.")
@Outcome(expect = FORBIDDEN, desc = "Two are under way, or none may be.")
@State
public class ForgottenAskStress {
  private final StressHands stress = StressHands.take();
  private final long firstNs;
  private final long laterNs;

  public ForgottenAskStress() {
    stress.arrive(100);
    firstNs = stress.leasing().askNs(stress.nowNs());
    stress.leasing().want(stress.hand, StressHands.TERMS, 1, stress.nowNs());
    laterNs = firstNs;
  }

  @Actor
  public void ends() {
    stress.leasing().lost(stress.hand, firstNs);
  }

  @Actor
  public void asks(ZZ_Result r) {
    r.r1 = stress.leasing().want(stress.hand, StressHands.TERMS, 1, laterNs) > 0;
  }

  @Arbiter
  public void after(ZZ_Result r) {
    r.r2 = stress.leasing().want(stress.hand, StressHands.TERMS, 1, laterNs) == 0;
    stress.giveBack();
  }
}

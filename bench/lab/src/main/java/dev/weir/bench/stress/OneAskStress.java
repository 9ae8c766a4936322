package dev.weir.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Two event loops want units to keep for the same key: one of them asks. */
@JCStressTest
@Outcome(id = "true, false", expect = ACCEPTABLE, desc = "The first asks.")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "The second asks.")
@Outcome(expect = FORBIDDEN, desc = "Both ask, or none does.")
@State
public class OneAskStress {
  private final StressHands stress = StressHands.take();

  public OneAskStress() {
    stress.arrive(100);
  }

  @Actor
  public void first(ZZ_Result r) {
    r.r1 = stress.leasing().want(stress.hand, StressHands.TERMS, 1, stress.nowNs()) > 0;
  }

  @Actor
  public void second(ZZ_Result r) {
    r.r2 = stress.leasing().want(stress.hand, StressHands.TERMS, 1, stress.nowNs()) > 0;
  }

  @Arbiter
  public void after() {
    stress.giveBack();
  }
}

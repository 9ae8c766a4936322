package dev.weir.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** Two requests of a key arrive at once: one of them may not be counted, and no other is lost. */
@JCStressTest
@Outcome(id = "2", expect = ACCEPTABLE, desc = "Both are counted.")
@Outcome(id = "0", expect = ACCEPTABLE, desc = "One is.")
@Outcome(expect = FORBIDDEN, desc = "The count is something else.")
@State
public class ArrivalStress {
  private final StressHands stress = StressHands.take();

  public ArrivalStress() {
    stress.arrive(6); // and one when the hand was taken: with two more, 2 are wanted
  }

  @Actor
  public void first() {
    stress.arrive(1);
  }

  @Actor
  public void second() {
    stress.arrive(1);
  }

  @Arbiter
  public void after(J_Result r) {
    r.r1 = stress.leasing().want(stress.hand, StressHands.TERMS, 1, stress.nowNs());
    stress.giveBack();
  }
}

package dev.weir.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.algorithms.lease.Taken;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Two threads never both take the last unit of a hand, and one of them does. */
@JCStressTest
@Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "The first took it.")
@Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "The second took it.")
@Outcome(expect = FORBIDDEN, desc = "Taken twice, or lost.")
@State
public class LastUnitStress {
  private final StressHands stress = StressHands.take();
  private final Taken mine = new Taken();
  private final Taken other = new Taken();

  public LastUnitStress() {
    stress.lease(1);
  }

  @Actor
  public void first(ZZI_Result r) {
    r.r1 = stress.take(1, mine);
  }

  @Actor
  public void second(ZZI_Result r) {
    r.r2 = stress.take(1, other);
  }

  @Arbiter
  public void after(ZZI_Result r) {
    r.r3 = stress.left();
    stress.giveBack();
  }
}

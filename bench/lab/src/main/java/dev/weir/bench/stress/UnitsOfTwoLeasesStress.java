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

/** Who takes units of both leases of a hand meets one who takes a unit. */
@JCStressTest
@Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "The two were faster.")
@Outcome(id = "false, true, 1", expect = ACCEPTABLE, desc = "The one was faster.")
@Outcome(
    id = "false, false, 2",
    expect = ACCEPTABLE,
    desc = "The two put back what the one had missed.")
@Outcome(expect = FORBIDDEN, desc = "A unit too many.")
@State
public class UnitsOfTwoLeasesStress {
  private final StressHands stress = StressHands.take();
  private final Taken mine = new Taken();
  private final Taken other = new Taken();

  public UnitsOfTwoLeasesStress() {
    stress.lease(1);
    stress.lease(1);
  }

  @Actor
  public void both(ZZI_Result r) {
    r.r1 = stress.take(2, mine);
  }

  @Actor
  public void one(ZZI_Result r) {
    r.r2 = stress.take(1, other);
  }

  @Arbiter
  public void after(ZZI_Result r) {
    r.r3 = stress.left();
    stress.giveBack();
  }
}

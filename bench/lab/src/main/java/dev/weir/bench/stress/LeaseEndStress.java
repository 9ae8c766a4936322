package dev.weir.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.algorithms.lease.Taken;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZII_Result;

/** A unit is used or given back at the end of its lease, never both. */
@JCStressTest
@Outcome(id = "true, 1, 0", expect = ACCEPTABLE, desc = "Used before the rest was given back.")
@Outcome(id = "false, 2, 0", expect = ACCEPTABLE, desc = "Both given back.")
@Outcome(expect = FORBIDDEN, desc = "Used and given back, or lost.")
@State
public class LeaseEndStress {
  private final StressHands stress = StressHands.take();
  private final Taken mine = new Taken();
  private final Taken other = new Taken();
  private final int place = stress.lease(2);
  private final long lease = stress.hands.lease(stress.hand, place);

  public LeaseEndStress() {
    // The lease is there.
  }

  @Actor
  public void take(ZII_Result r) {
    r.r1 = stress.take(1, mine);
  }

  @Actor
  public void end(ZII_Result r) {
    r.r2 = (int) stress.hands.takeOut(stress.hand, place, lease);
  }

  @Arbiter
  public void after(ZII_Result r) {
    r.r3 = stress.left();
    stress.hands.free(stress.hand, place);
    stress.giveBack();
  }
}

package dev.weir.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.algorithms.lease.Taken;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A unit that is put back while its lease ends is in one place, or in none. */
@JCStressTest
@Outcome(id = "1, 2, 0", expect = ACCEPTABLE, desc = "Put back, then given back.")
@Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "The lease had ended.")
@Outcome(expect = FORBIDDEN, desc = "A unit twice.")
@State
public class PutBackStress {
  private final StressHands stress = StressHands.take();
  private final Taken mine = new Taken();
  private final Taken other = new Taken();
  private final int place = stress.lease(2);
  private final long lease = stress.hands.lease(stress.hand, place);

  public PutBackStress() {
    stress.take(1, mine);
  }

  @Actor
  public void putBack(III_Result r) {
    r.r1 = (int) stress.hands.putBack(mine);
  }

  @Actor
  public void end(III_Result r) {
    r.r2 = (int) stress.hands.takeOut(stress.hand, place, lease);
  }

  @Arbiter
  public void after(III_Result r) {
    r.r3 = stress.left();
    stress.hands.free(stress.hand, place);
    stress.giveBack();
  }
}

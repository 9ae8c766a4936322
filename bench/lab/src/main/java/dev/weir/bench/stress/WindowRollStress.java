package dev.weir.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/**
 * Two requests are the first ones of a window, with two units of the window before weighing in
 * full: one passes, and the roll to the new window happens once.
 */
@JCStressTest
@Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "The first one passed.")
@Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "The second one passed.")
@Outcome(expect = FORBIDDEN, desc = "A count was lost in the roll, or counted twice.")
@State
public class WindowRollStress {
  private static final long WINDOW = 10 * StressTable.SECOND;
  private static final Limit THREE = Limit.slidingCounter(3, WINDOW);

  private final StressTable stress = StressTable.take(64);
  private final Decision mine = new Decision();
  private final Decision other = new Decision();

  public WindowRollStress() {
    // The clock of a state is a multiple of the window.
    stress.check(0, THREE, 2, stress.nowNs() - 1, mine);
  }

  @Actor
  public void first(ZZI_Result r) {
    r.r1 = stress.check(0, THREE, mine);
  }

  @Actor
  public void second(ZZI_Result r) {
    r.r2 = stress.check(0, THREE, other);
  }

  @Arbiter
  public void after(ZZI_Result r) {
    r.r3 = stress.passes(0, THREE);
    stress.giveBack();
  }
}

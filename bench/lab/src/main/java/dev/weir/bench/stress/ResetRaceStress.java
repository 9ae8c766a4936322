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

/** A reset meets a check: the check counts before it or after it, and nothing else does. */
@JCStressTest
@Outcome(id = "true, true, 3", expect = ACCEPTABLE, desc = "Checked, then reset.")
@Outcome(id = "true, true, 2", expect = ACCEPTABLE, desc = "Reset, then checked.")
@Outcome(id = "false, true, 3", expect = ACCEPTABLE, desc = "Refused: the reset was stopped.")
@Outcome(expect = FORBIDDEN, desc = "A budget too many, or one lost.")
@State
public class ResetRaceStress {
  private static final Limit THREE = Limit.gcra(3, 10 * StressTable.SECOND, 3);

  private final StressTable stress = StressTable.take(64);
  private final Decision mine = new Decision();

  public ResetRaceStress() {
    stress.check(0, THREE, mine);
    stress.check(0, THREE, mine);
  }

  @Actor
  public void check(ZZI_Result r) {
    r.r1 = stress.check(0, THREE, mine);
  }

  @Actor
  public void reset(ZZI_Result r) {
    r.r2 = stress.table.reset(stress.key(0), stress.nowNs());
  }

  @Arbiter
  public void after(ZZI_Result r) {
    r.r3 = stress.passes(0, THREE);
    stress.giveBack();
  }
}

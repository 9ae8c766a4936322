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
 * One thread still charges the sub-window that another one closes, to charge the next. Both count,
 * and what was in the closed one leaves with it.
 */
@JCStressTest
@Outcome(id = "true, true, 31", expect = ACCEPTABLE, desc = "One in each sub-window.")
@Outcome(id = "true, true, 32", expect = ACCEPTABLE, desc = "It was closed: both in the next.")
@Outcome(expect = FORBIDDEN, desc = "A count was lost on the way, or counted twice.")
@State
public class RingCloseStress {
  private static final int SUB_WINDOWS = 4;
  private static final Limit FIVE =
      Limit.bucketRing(5, SUB_WINDOWS * StressTable.SECOND, SUB_WINDOWS);

  private final StressTable stress = StressTable.take(64, SUB_WINDOWS);
  private final Decision mine = new Decision();
  private final Decision other = new Decision();

  public RingCloseStress() {
    stress.check(0, FIVE, mine);
  }

  @Actor
  public void behind(ZZI_Result r) {
    r.r1 = stress.check(0, FIVE, mine);
  }

  @Actor
  public void ahead(ZZI_Result r) {
    r.r2 = stress.check(0, FIVE, 1, stress.nowNs() + StressTable.SECOND, other);
  }

  @Arbiter
  public void after(ZZI_Result r) {
    r.r3 = 10 * stress.current(0, FIVE, stress.nowNs() + StressTable.SECOND);
    r.r3 += stress.current(0, FIVE, stress.nowNs() + SUB_WINDOWS * StressTable.SECOND);
    stress.giveBack();
  }
}

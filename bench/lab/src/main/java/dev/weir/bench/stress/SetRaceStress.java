package dev.weir.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitSet;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/**
 * Two requests need a unit of each of two limits, one of which has one left. At most one passes,
 * and what the other one has charged on the way is given back.
 */
@JCStressTest
@Outcome(id = "true, false, 11", expect = ACCEPTABLE, desc = "The first one passed.")
@Outcome(id = "false, true, 11", expect = ACCEPTABLE, desc = "The second one passed.")
@Outcome(expect = FORBIDDEN, desc = "Charged without passing, or passed without being charged.")
@State
public class SetRaceStress {
  private static final Limit MANY = Limit.slidingCounter(9, 10 * StressTable.SECOND);
  private static final Limit ONE = Limit.gcra(1, 10 * StressTable.SECOND, 1);
  private static final LimitSet BOTH = LimitSet.of(MANY, ONE);

  private final StressTable stress = StressTable.take(64);
  private final Decision mine = new Decision();
  private final Decision other = new Decision();

  @Actor
  public void first(ZZI_Result r) {
    r.r1 = stress.table.checkAll(stress.key(0), BOTH, 1, stress.nowNs(), mine);
  }

  @Actor
  public void second(ZZI_Result r) {
    r.r2 = stress.table.checkAll(stress.key(0), BOTH, 1, stress.nowNs(), other);
  }

  @Arbiter
  public void after(ZZI_Result r) {
    r.r3 = 10 * stress.current(0, MANY, stress.nowNs());
    stress.table.peek(BOTH.key(stress.key(0), 1), ONE, 1, stress.nowNs(), mine);
    r.r3 += (int) mine.current();
    stress.giveBack();
  }
}

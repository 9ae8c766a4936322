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
 * Two threads insert one new key: it gets one slot and one budget. Meeting on one window, they see
 * each other's claims, and the one whose slot comes first in the probe order kills the other's.
 */
@JCStressTest
@Outcome(
    id = "true, false, 1",
    expect = ACCEPTABLE,
    desc = "The first passed; one slot, no more to pass.")
@Outcome(
    id = "false, true, 1",
    expect = ACCEPTABLE,
    desc = "The second passed; one slot, no more to pass.")
@Outcome(expect = FORBIDDEN, desc = "Two budgets, or none.")
@State
public class InsertRaceStress {
  private static final Limit ONE = Limit.gcra(1, 10 * StressTable.SECOND, 1);

  private final StressTable stress = StressTable.take(64);
  private final Decision mine = new Decision();
  private final Decision other = new Decision();

  @Actor
  public void first(ZZI_Result r) {
    r.r1 = stress.check(0, ONE, mine);
  }

  @Actor
  public void second(ZZI_Result r) {
    r.r2 = stress.check(0, ONE, other);
  }

  @Arbiter
  public void after(ZZI_Result r) {
    r.r3 = stress.passes(0, ONE) + stress.table.occupancy(stress.nowNs());
    stress.giveBack();
  }
}

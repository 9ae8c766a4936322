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
 * A limit of two is changed while one thread still checks the old key, which has consumed nothing,
 * and another one the new key. The old one passes before the change, or is told to go on.
 */
@JCStressTest
@Outcome(id = "true, true, 0", expect = ACCEPTABLE, desc = "Both passed, under one budget of two.")
@Outcome(id = "false, true, 1", expect = ACCEPTABLE, desc = "Refused: the carrier was stopped.")
@Outcome(id = "true, false, 1", expect = ACCEPTABLE, desc = "Refused: the carrier was stopped.")
@Outcome(expect = FORBIDDEN, desc = "A fresh budget, or one lost.")
@State
public class MoveRaceStress {
  private static final Limit OLD = Limit.gcra(2, 10 * StressTable.SECOND, 2);
  private static final Limit NEW = Limit.gcra(2, 9 * StressTable.SECOND, 2);

  private final StressTable stress = StressTable.take(64);
  private final Decision mine = new Decision();
  private final Decision other = new Decision();

  private boolean checkNew(Decision out) {
    return stress.carryAndCheck(OLD, NEW, false, out);
  }

  @Actor
  public void behind(ZZI_Result r) {
    final boolean passes = stress.check(0, OLD, mine);
    r.r1 = mine.moved() ? checkNew(mine) : passes;
  }

  @Actor
  public void ahead(ZZI_Result r) {
    r.r2 = checkNew(other);
  }

  @Arbiter
  public void after(ZZI_Result r) {
    r.r3 = checkNew(mine) ? 1 : 0;
    stress.giveBack();
  }
}

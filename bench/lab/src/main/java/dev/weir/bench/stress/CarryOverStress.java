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

/** Two threads carry one key's debt to its new key, then check that: it is charged once. */
@JCStressTest
@Outcome(id = "true, true, 3", expect = ACCEPTABLE, desc = "4 of 9 carried, 2 charged, 3 left.")
@Outcome(id = "false, true, 4", expect = ACCEPTABLE, desc = "Refused: the carrier was stopped.")
@Outcome(id = "true, false, 4", expect = ACCEPTABLE, desc = "Refused: the carrier was stopped.")
@Outcome(expect = FORBIDDEN, desc = "Carried twice, or lost.")
@State
public class CarryOverStress {
  private static final Limit FIVE = Limit.gcra(5, 10 * StressTable.SECOND, 5);
  private static final Limit NINE = Limit.gcra(9, 9 * StressTable.SECOND, 9);

  private final StressTable stress = StressTable.take(64);
  private final Decision mine = new Decision();
  private final Decision other = new Decision();

  public CarryOverStress() {
    for (int i = 0; i < 4; i++) {
      stress.check(0, FIVE, mine);
    }
  }

  private boolean carryAndCheck(Decision out) {
    return stress.carryAndCheck(FIVE, NINE, true, out);
  }

  @Actor
  public void first(ZZI_Result r) {
    r.r1 = carryAndCheck(mine);
  }

  @Actor
  public void second(ZZI_Result r) {
    r.r2 = carryAndCheck(other);
  }

  @Arbiter
  public void after(ZZI_Result r) {
    r.r3 = stress.passes(1, NINE);
    stress.giveBack();
  }
}

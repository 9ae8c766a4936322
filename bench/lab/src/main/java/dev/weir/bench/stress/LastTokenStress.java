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

/** Two threads never both take the last token, and one of them does. */
@JCStressTest
@Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "The first took it.")
@Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "The second took it.")
@Outcome(expect = FORBIDDEN, desc = "Taken twice, or lost.")
@State
public class LastTokenStress {
  private static final Limit TWO = Limit.gcra(2, 10 * StressTable.SECOND, 2);

  private final StressTable stress = StressTable.take(64);
  private final Decision mine = new Decision();
  private final Decision other = new Decision();

  public LastTokenStress() {
    stress.check(0, TWO, mine);
  }

  @Actor
  public void first(ZZI_Result r) {
    r.r1 = stress.check(0, TWO, mine);
  }

  @Actor
  public void second(ZZI_Result r) {
    r.r2 = stress.check(0, TWO, other);
  }

  @Arbiter
  public void after(ZZI_Result r) {
    r.r3 = stress.passes(0, TWO);
    stress.giveBack();
  }
}

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
 * Two units each, where three are left in a sliding log: one request passes. What the other one had
 * written ahead counts for nobody, so one more unit passes, and all leave with their window.
 */
@JCStressTest
@Outcome(id = "true, false, 10", expect = ACCEPTABLE, desc = "The first one passed.")
@Outcome(id = "false, true, 10", expect = ACCEPTABLE, desc = "The second one passed.")
@Outcome(expect = FORBIDDEN, desc = "A unit too many, or one lost.")
@State
public class LogRaceStress {
  private static final long WINDOW = 10 * StressTable.SECOND;
  private static final Limit FOUR = Limit.slidingLog(4, WINDOW);

  private final StressTable stress = StressTable.take(64, 4);
  private final Decision mine = new Decision();
  private final Decision other = new Decision();

  public LogRaceStress() {
    stress.check(0, FOUR, mine);
  }

  @Actor
  public void first(ZZI_Result r) {
    r.r1 = stress.check(0, FOUR, 2, stress.nowNs(), mine);
  }

  @Actor
  public void second(ZZI_Result r) {
    r.r2 = stress.check(0, FOUR, 2, stress.nowNs(), other);
  }

  @Arbiter
  public void after(ZZI_Result r) {
    r.r3 = 10 * stress.passes(0, FOUR);
    r.r3 += stress.current(0, FOUR, stress.nowNs() + WINDOW);
    stress.giveBack();
  }
}

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

/** A refund meets a check for which there is no room without it. */
@JCStressTest
@Outcome(id = "true, true, 2", expect = ACCEPTABLE, desc = "Given back, then charged.")
@Outcome(id = "true, false, 1", expect = ACCEPTABLE, desc = "Refused, then given back.")
@Outcome(expect = FORBIDDEN, desc = "A unit too many, or one lost.")
@State
public class RefundRaceStress {
  private static final Limit TWO = Limit.fixedWindow(2, 10 * StressTable.SECOND, 0);

  private final StressTable stress = StressTable.take(64);
  private final Decision mine = new Decision();

  public RefundRaceStress() {
    stress.check(0, TWO, 2, stress.nowNs(), mine);
  }

  @Actor
  public void refund(ZZI_Result r) {
    r.r1 = stress.table.refund(stress.key(0), TWO, 1, stress.nowNs(), stress.nowNs());
  }

  @Actor
  public void check(ZZI_Result r) {
    r.r2 = stress.check(0, TWO, mine);
  }

  @Arbiter
  public void after(ZZI_Result r) {
    r.r3 = stress.current(0, TWO, stress.nowNs());
    stress.giveBack();
  }
}

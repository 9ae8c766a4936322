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
 * One thread charges a key whose slot is expired, the other wants the slot for a new key. One of
 * the keys gets it, the other one is charged to the shared budget; no charge is lost.
 */
@JCStressTest
@Outcome(id = "true, true, 0", expect = ACCEPTABLE, desc = "Both passed, both are charged.")
@Outcome(expect = FORBIDDEN, desc = "A charge went to the wrong key, or was lost.")
@State
public class ReclaimRaceStress {
  private static final Limit ONE = Limit.gcra(1, 10 * StressTable.SECOND, 1);

  private final StressTable stress = StressTable.take(4);
  private final Decision mine = new Decision();
  private final Decision other = new Decision();

  public ReclaimRaceStress() {
    final long longAgoNs = stress.nowNs() - 50 * StressTable.SECOND;
    stress.table.check(stress.key(0), ONE, 1, longAgoNs, mine);
    for (int key = 1; key < 4; key++) {
      stress.check(key, ONE, mine);
    }
  }

  @Actor
  public void charge(ZZI_Result r) {
    r.r1 = stress.check(0, ONE, mine);
  }

  @Actor
  public void reclaim(ZZI_Result r) {
    r.r2 = stress.check(4, ONE, other);
  }

  @Arbiter
  public void after(ZZI_Result r) {
    r.r3 = stress.passes(0, ONE) + stress.passes(4, ONE);
    stress.giveBack();
  }
}

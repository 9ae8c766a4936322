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
import org.openjdk.jcstress.infra.results.ZII_Result;

/**
 * A full table: one thread charges a key that owes one request, the other one wants its slot for a
 * new key, whose first word is the very same. Three units were let pass; each is owed in the end,
 * or was forgotten by an eviction, of which each forgets one.
 */
@JCStressTest
@Outcome(id = "true, 3, 0", expect = ACCEPTABLE, desc = "All owed, or forgotten one by one.")
@Outcome(
    id = "true, 4, 0",
    expect = ACCEPTABLE,
    desc = "A charge met the new key, and was repeated.")
@Outcome(expect = FORBIDDEN, desc = "A charge was lost, or an exhausted key evicted.")
@State
public class EvictionRaceStress {
  private static final Limit THREE = Limit.fixedWindow(3, 10 * StressTable.SECOND, 0);

  private final StressTable stress = StressTable.take(4);
  private final Decision mine = new Decision();
  private final Decision other = new Decision();
  private final long evictedBefore;
  private boolean charged;
  private boolean entered;

  public EvictionRaceStress() {
    for (int key = 0; key < 3; key++) {
      for (int request = 0; request < 3; request++) {
        stress.check(key, THREE, mine);
      }
    }
    stress.check(3, THREE, mine);
    evictedBefore = stress.table.evictedCount();
  }

  @Actor
  public void charge() {
    charged = stress.check(3, THREE, mine);
  }

  @Actor
  public void enter() {
    entered = stress.check(4, THREE, other);
  }

  @Arbiter
  public void after(ZII_Result r) {
    r.r1 = charged && entered;
    final int evicted = (int) (stress.table.evictedCount() - evictedBefore);
    r.r2 = stress.current(3, THREE, stress.nowNs()) + stress.current(4, THREE, stress.nowNs());
    r.r2 += evicted;
    for (int key = 0; key < 3; key++) {
      r.r3 += stress.check(key, THREE, mine) ? 1 : 0;
    }
    stress.giveBack();
  }
}

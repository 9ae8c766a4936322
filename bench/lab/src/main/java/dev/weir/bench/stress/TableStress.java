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
import org.openjdk.jcstress.infra.results.ZII_Result;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Threads that meet in one limit table: at a key, at its slot, or at its ring of cells. */
public final class TableStress {
  private TableStress() {}

  /** A table that two threads use, and what each of them is told. */
  abstract static class StateTable {
    final StressTable stress;
    final Decision mine = new Decision();
    final Decision other = new Decision();

    StateTable() {
      this(64);
    }

    StateTable(int slotCount) {
      this(slotCount, 0);
    }

    StateTable(int slotCount, int cellsPerKey) {
      stress = StressTable.take(slotCount, cellsPerKey);
    }
  }

  /** Two threads never both take the last token, and one of them does. */
  @JCStressTest
  @Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "The first took it.")
  @Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "The second took it.")
  @Outcome(expect = FORBIDDEN, desc = "Taken twice, or lost.")
  @State
  public static class LastToken extends StateTable {
    private static final Limit TWO = Limit.gcra(2, 10 * StressTable.SECOND, 2);

    public LastToken() {
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

  /**
   * Two threads insert one new key: it gets one slot and one budget. Meeting on one window, they
   * see each other's claims, and the one whose slot comes first in the probe order kills the
   * other's.
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
  public static class InsertRace extends StateTable {
    private static final Limit ONE = Limit.gcra(1, 10 * StressTable.SECOND, 1);

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

  /**
   * One thread charges a key whose slot is expired, the other wants the slot for a new key. One of
   * the keys gets it, the other one is charged to the shared budget; no charge is lost.
   */
  @JCStressTest
  @Outcome(id = "true, true, 0", expect = ACCEPTABLE, desc = "Both passed, both are charged.")
  @Outcome(expect = FORBIDDEN, desc = "A charge went to the wrong key, or was lost.")
  @State
  public static class ReclaimRace extends StateTable {
    private static final Limit ONE = Limit.gcra(1, 10 * StressTable.SECOND, 1);

    public ReclaimRace() {
      super(4);
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

  /**
   * A full table: one thread charges a key that owes one request, the other one wants its slot for
   * a new key, whose first word is the very same. Three units were let pass; each is owed in the
   * end, or was forgotten by an eviction, of which each forgets one.
   */
  @JCStressTest
  @Outcome(id = "true, 3, 0", expect = ACCEPTABLE, desc = "All owed, or forgotten one by one.")
  @Outcome(
      id = "true, 4, 0",
      expect = ACCEPTABLE,
      desc = "A charge met the new key, and was repeated.")
  @Outcome(expect = FORBIDDEN, desc = "A charge was lost, or an exhausted key evicted.")
  @State
  public static class EvictionRace extends StateTable {
    private static final Limit THREE = Limit.fixedWindow(3, 10 * StressTable.SECOND, 0);

    private final long evictedBefore;
    private boolean charged;
    private boolean entered;

    public EvictionRace() {
      super(4);
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

  /**
   * Two requests are the first ones of a window, with two units of the window before weighing in
   * full: one passes, and the roll to the new window happens once.
   */
  @JCStressTest
  @Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "The first one passed.")
  @Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "The second one passed.")
  @Outcome(expect = FORBIDDEN, desc = "A count was lost in the roll, or counted twice.")
  @State
  public static class WindowRoll extends StateTable {
    private static final long WINDOW = 10 * StressTable.SECOND;
    private static final Limit THREE = Limit.slidingCounter(3, WINDOW);

    public WindowRoll() {
      // The clock of a state is a multiple of the window.
      stress.check(0, THREE, 2, stress.nowNs() - 1, mine);
    }

    @Actor
    public void first(ZZI_Result r) {
      r.r1 = stress.check(0, THREE, mine);
    }

    @Actor
    public void second(ZZI_Result r) {
      r.r2 = stress.check(0, THREE, other);
    }

    @Arbiter
    public void after(ZZI_Result r) {
      r.r3 = stress.passes(0, THREE);
      stress.giveBack();
    }
  }

  /**
   * Two units each, where three are left in a sliding log: one request passes. What the other one
   * had written ahead counts for nobody, so one more unit passes, and all leave with their window.
   */
  @JCStressTest
  @Outcome(id = "true, false, 10", expect = ACCEPTABLE, desc = "The first one passed.")
  @Outcome(id = "false, true, 10", expect = ACCEPTABLE, desc = "The second one passed.")
  @Outcome(expect = FORBIDDEN, desc = "A unit too many, or one lost.")
  @State
  public static class LogRace extends StateTable {
    private static final long WINDOW = 10 * StressTable.SECOND;
    private static final Limit FOUR = Limit.slidingLog(4, WINDOW);

    public LogRace() {
      super(64, 4);
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

  /**
   * One thread still charges the sub-window that another one closes, to charge the next. Both
   * count, and what was in the closed one leaves with it.
   */
  @JCStressTest
  @Outcome(id = "true, true, 31", expect = ACCEPTABLE, desc = "One in each sub-window.")
  @Outcome(id = "true, true, 32", expect = ACCEPTABLE, desc = "It was closed: both in the next.")
  @Outcome(expect = FORBIDDEN, desc = "A count was lost on the way, or counted twice.")
  @State
  public static class RingClose extends StateTable {
    private static final int SUB_WINDOWS = 4;
    private static final Limit FIVE =
        Limit.bucketRing(5, SUB_WINDOWS * StressTable.SECOND, SUB_WINDOWS);

    public RingClose() {
      super(64, SUB_WINDOWS);
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

  /**
   * Two requests need a unit of each of two limits, one of which has one left. At most one passes,
   * and what the other one has charged on the way is given back.
   */
  @JCStressTest
  @Outcome(id = "true, false, 11", expect = ACCEPTABLE, desc = "The first one passed.")
  @Outcome(id = "false, true, 11", expect = ACCEPTABLE, desc = "The second one passed.")
  @Outcome(expect = FORBIDDEN, desc = "Charged without passing, or passed without being charged.")
  @State
  public static class SetRace extends StateTable {
    private static final Limit MANY = Limit.slidingCounter(9, 10 * StressTable.SECOND);
    private static final Limit ONE = Limit.gcra(1, 10 * StressTable.SECOND, 1);

    private LimitSet both() {
      return new LimitSet()
          .add(stress.table, stress.key(0), MANY, 1)
          .add(stress.table, stress.key(1), ONE, 1);
    }

    @Actor
    public void first(ZZI_Result r) {
      r.r1 = both().check(stress.nowNs(), mine);
    }

    @Actor
    public void second(ZZI_Result r) {
      r.r2 = both().check(stress.nowNs(), other);
    }

    @Arbiter
    public void after(ZZI_Result r) {
      r.r3 = 10 * stress.current(0, MANY, stress.nowNs());
      r.r3 += stress.current(1, ONE, stress.nowNs());
      stress.giveBack();
    }
  }

  /** A refund meets a check for which there is no room without it. */
  @JCStressTest
  @Outcome(id = "true, true, 2", expect = ACCEPTABLE, desc = "Given back, then charged.")
  @Outcome(id = "true, false, 1", expect = ACCEPTABLE, desc = "Refused, then given back.")
  @Outcome(expect = FORBIDDEN, desc = "A unit too many, or one lost.")
  @State
  public static class RefundRace extends StateTable {
    private static final Limit TWO = Limit.fixedWindow(2, 10 * StressTable.SECOND, 0);

    public RefundRace() {
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

  /** A reset meets a check: the check counts before it or after it, and nothing else does. */
  @JCStressTest
  @Outcome(id = "true, true, 3", expect = ACCEPTABLE, desc = "Checked, then reset.")
  @Outcome(id = "true, true, 2", expect = ACCEPTABLE, desc = "Reset, then checked.")
  @Outcome(id = "false, true, 3", expect = ACCEPTABLE, desc = "Refused: the reset was stopped.")
  @Outcome(expect = FORBIDDEN, desc = "A budget too many, or one lost.")
  @State
  public static class ResetRace extends StateTable {
    private static final Limit THREE = Limit.gcra(3, 10 * StressTable.SECOND, 3);

    public ResetRace() {
      stress.check(0, THREE, mine);
      stress.check(0, THREE, mine);
    }

    @Actor
    public void check(ZZI_Result r) {
      r.r1 = stress.check(0, THREE, mine);
    }

    @Actor
    public void reset(ZZI_Result r) {
      r.r2 = stress.table.reset(stress.key(0), stress.nowNs());
    }

    @Arbiter
    public void after(ZZI_Result r) {
      r.r3 = stress.passes(0, THREE);
      stress.giveBack();
    }
  }

  /** Two threads carry one key's debt to its new key, then check that: it is charged once. */
  @JCStressTest
  @Outcome(id = "true, true, 3", expect = ACCEPTABLE, desc = "4 of 9 carried, 2 charged, 3 left.")
  @Outcome(id = "false, true, 4", expect = ACCEPTABLE, desc = "Refused: the carrier was stopped.")
  @Outcome(id = "true, false, 4", expect = ACCEPTABLE, desc = "Refused: the carrier was stopped.")
  @Outcome(expect = FORBIDDEN, desc = "Carried twice, or lost.")
  @State
  public static class CarryOver extends StateTable {
    private static final Limit FIVE = Limit.gcra(5, 10 * StressTable.SECOND, 5);
    private static final Limit NINE = Limit.gcra(9, 9 * StressTable.SECOND, 9);

    public CarryOver() {
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

  /**
   * A limit of two is changed while one thread still checks the old key, which has consumed
   * nothing, and another one the new key. The old one passes before the change, or is told to go
   * on.
   */
  @JCStressTest
  @Outcome(
      id = "true, true, 0",
      expect = ACCEPTABLE,
      desc = "Both passed, under one budget of two.")
  @Outcome(id = "false, true, 1", expect = ACCEPTABLE, desc = "Refused: the carrier was stopped.")
  @Outcome(id = "true, false, 1", expect = ACCEPTABLE, desc = "Refused: the carrier was stopped.")
  @Outcome(expect = FORBIDDEN, desc = "A fresh budget, or one lost.")
  @State
  public static class MoveRace extends StateTable {
    private static final Limit OLD = Limit.gcra(2, 10 * StressTable.SECOND, 2);
    private static final Limit NEW = Limit.gcra(2, 9 * StressTable.SECOND, 2);

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
}

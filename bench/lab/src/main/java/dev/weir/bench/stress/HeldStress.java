package dev.weir.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.HeldBudget;
import dev.weir.algorithms.Limit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/**
 * Threads that hold units of one budget of five, three each: they meet in two words, that of what
 * is used and that of what is held.
 */
public final class HeldStress {
  private HeldStress() {}

  /** A budget that two threads use. */
  abstract static class StateBudget {
    private static final int KEY = 0;
    private static final int HELD_KEY = 1;
    private static final int UNITS = 3;

    /** Ends before a table is used again: else old keys fill it, and new ones share a budget. */
    private static final Limit FIVE = Limit.fixedWindow(5, 50 * StressTable.SECOND, 0);

    final StressTable stress = StressTable.take(64, 0);
    final Decision mine = new Decision();
    final Decision other = new Decision();

    final boolean hold(Decision out) {
      return HeldBudget.hold(
          stress.table,
          stress.key(KEY),
          FIVE,
          stress.table,
          stress.key(HELD_KEY),
          UNITS,
          stress.nowNs(),
          out);
    }

    final void settle(Decision out) {
      HeldBudget.settle(
          stress.table,
          stress.key(KEY),
          FIVE,
          UNITS,
          stress.table,
          stress.key(HELD_KEY),
          UNITS,
          stress.nowNs(),
          out);
    }

    /** Ten times the units that are used, and those that are held, which are released then. */
    final int figures() {
      final int used = stress.current(KEY, FIVE, stress.nowNs());
      final int held = stress.current(HELD_KEY, Limit.heldUnits(5), stress.nowNs());
      if (held > 0) {
        stress.table.release(stress.key(HELD_KEY), held, stress.nowNs());
      }
      stress.giveBack();
      return 10 * used + held;
    }
  }

  /** Who asks adds before he looks: of two that ask, one sees the other. */
  @JCStressTest
  @Outcome(id = "true, false, 3", expect = ACCEPTABLE, desc = "The first holds them.")
  @Outcome(id = "false, true, 3", expect = ACCEPTABLE, desc = "The second holds them.")
  @Outcome(id = "false, false, 0", expect = ACCEPTABLE, desc = "Each saw the other.")
  @Outcome(expect = FORBIDDEN, desc = "Both hold, or something is left.")
  @State
  public static class TwoAsk extends StateBudget {
    @Actor
    public void first(ZZI_Result r) {
      r.r1 = hold(mine);
    }

    @Actor
    public void second(ZZI_Result r) {
      r.r2 = hold(other);
    }

    @Arbiter
    public void after(ZZI_Result r) {
      r.r3 = figures();
    }
  }

  /** Who ends charges before he releases: who asks finds his units in one of the two words. */
  @JCStressTest
  @Outcome(id = "false, 30", expect = ACCEPTABLE, desc = "Refused: held, or used.")
  @Outcome(expect = FORBIDDEN, desc = "Granted, or something is left.")
  @State
  public static class EndAndAsk extends StateBudget {
    public EndAndAsk() {
      hold(mine);
    }

    @Actor
    public void end() {
      settle(mine);
    }

    @Actor
    public void ask(ZI_Result r) {
      r.r1 = hold(other);
    }

    @Arbiter
    public void after(ZI_Result r) {
      r.r2 = figures();
    }
  }

  /** Who charges at once holds, too: else who asks may have looked before. */
  @JCStressTest
  @Outcome(id = "true, false, 30", expect = ACCEPTABLE, desc = "Charged.")
  @Outcome(id = "false, true, 3", expect = ACCEPTABLE, desc = "Held.")
  @Outcome(id = "false, false, 0", expect = ACCEPTABLE, desc = "Each saw the other.")
  @Outcome(expect = FORBIDDEN, desc = "Both passed, or something is left.")
  @State
  public static class ChargeAtOnceAndAsk extends StateBudget {
    @Actor
    public void charge(ZZI_Result r) {
      r.r1 = hold(mine);
      if (r.r1) {
        settle(mine);
      }
    }

    @Actor
    public void ask(ZZI_Result r) {
      r.r2 = hold(other);
    }

    @Arbiter
    public void after(ZZI_Result r) {
      r.r3 = figures();
    }
  }
}

package dev.weir.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.algorithms.lease.LeaseTable;
import dev.weir.algorithms.lease.LeaseTerms;
import dev.weir.algorithms.lease.Leasing;
import dev.weir.algorithms.lease.RoundTrips;
import dev.weir.algorithms.lease.Taken;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.J_Result;
import org.openjdk.jcstress.infra.results.ZII_Result;
import org.openjdk.jcstress.infra.results.ZZI_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Threads that meet at one hand of leases: units, the ask that is under way, and demand. */
public final class HandStress {
  private HandStress() {}

  /** Hands that two threads use, and what each of them takes. */
  abstract static class StateHands {
    final StressHands stress = StressHands.take();
    final Taken mine = new Taken();
    final Taken other = new Taken();
  }

  /** Two threads never both take the last unit of a hand, and one of them does. */
  @JCStressTest
  @Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "The first took it.")
  @Outcome(id = "false, true, 0", expect = ACCEPTABLE, desc = "The second took it.")
  @Outcome(expect = FORBIDDEN, desc = "Taken twice, or lost.")
  @State
  public static class LastUnit extends StateHands {
    public LastUnit() {
      stress.lease(1);
    }

    @Actor
    public void first(ZZI_Result r) {
      r.r1 = stress.take(1, mine);
    }

    @Actor
    public void second(ZZI_Result r) {
      r.r2 = stress.take(1, other);
    }

    @Arbiter
    public void after(ZZI_Result r) {
      r.r3 = stress.left();
      stress.giveBack();
    }
  }

  /** Who takes units of both leases of a hand meets one who takes a unit. */
  @JCStressTest
  @Outcome(id = "true, false, 0", expect = ACCEPTABLE, desc = "The two were faster.")
  @Outcome(id = "false, true, 1", expect = ACCEPTABLE, desc = "The one was faster.")
  @Outcome(
      id = "false, false, 2",
      expect = ACCEPTABLE,
      desc = "The two put back what the one had missed.")
  @Outcome(expect = FORBIDDEN, desc = "A unit too many.")
  @State
  public static class UnitsOfTwoLeases extends StateHands {
    public UnitsOfTwoLeases() {
      stress.lease(1);
      stress.lease(1);
    }

    @Actor
    public void both(ZZI_Result r) {
      r.r1 = stress.take(2, mine);
    }

    @Actor
    public void one(ZZI_Result r) {
      r.r2 = stress.take(1, other);
    }

    @Arbiter
    public void after(ZZI_Result r) {
      r.r3 = stress.left();
      stress.giveBack();
    }
  }

  /** A unit is used or given back at the end of its lease, never both. */
  @JCStressTest
  @Outcome(id = "true, 1, 0", expect = ACCEPTABLE, desc = "Used before the rest was given back.")
  @Outcome(id = "false, 2, 0", expect = ACCEPTABLE, desc = "Both given back.")
  @Outcome(expect = FORBIDDEN, desc = "Used and given back, or lost.")
  @State
  public static class LeaseEnd extends StateHands {
    private final int place = stress.lease(2);
    private final long lease = stress.hands.lease(stress.hand, place);

    @Actor
    public void take(ZII_Result r) {
      r.r1 = stress.take(1, mine);
    }

    @Actor
    public void end(ZII_Result r) {
      r.r2 = (int) stress.hands.takeOut(stress.hand, place, lease);
    }

    @Arbiter
    public void after(ZII_Result r) {
      r.r3 = stress.left();
      stress.hands.free(stress.hand, place);
      stress.giveBack();
    }
  }

  /** A unit that is put back while its lease ends is in one place, or in none. */
  @JCStressTest
  @Outcome(id = "1, 2, 0", expect = ACCEPTABLE, desc = "Put back, then given back.")
  @Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "The lease had ended.")
  @Outcome(expect = FORBIDDEN, desc = "A unit twice.")
  @State
  public static class PutBack extends StateHands {
    private final int place = stress.lease(2);
    private final long lease = stress.hands.lease(stress.hand, place);

    public PutBack() {
      stress.take(1, mine);
    }

    @Actor
    public void putBack(III_Result r) {
      r.r1 = (int) stress.hands.putBack(mine);
    }

    @Actor
    public void end(III_Result r) {
      r.r2 = (int) stress.hands.takeOut(stress.hand, place, lease);
    }

    @Arbiter
    public void after(III_Result r) {
      r.r3 = stress.left();
      stress.hands.free(stress.hand, place);
      stress.giveBack();
    }
  }

  /** A late lease meets another key that takes the idle hand over: the hand is one of the two. */
  @JCStressTest
  @Outcome(
      id = "true, false",
      expect = ACCEPTABLE,
      desc = "The lease came first, and the hand stays.")
  @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "The hand was another by then.")
  @Outcome(id = "false, false", expect = ACCEPTABLE, desc = "Each saw the other.")
  @Outcome(expect = FORBIDDEN, desc = "The units of one key in the hand of another.")
  @State
  public static class HandTakenOver extends StateHands {
    private final long laterNs = stress.nowNs() + 10 * StressTable.SECOND;

    @Actor
    public void lease(ZZ_Result r) {
      r.r1 = stress.hands.reserve(stress.hand, stress.key()) >= 0;
    }

    @Actor
    public void claim(ZZ_Result r) {
      r.r2 = stress.hands.claim(stress.otherKey(), laterNs) >= 0;
    }

    @Arbiter
    public void after(ZZ_Result r) {
      for (int place = 0; r.r1 && place < 2; place++) {
        stress.hands.free(stress.hand, place);
      }
      stress.giveBack();
    }
  }

  /** Two event loops want units to keep for the same key: one of them asks. */
  @JCStressTest
  @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "The first asks.")
  @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "The second asks.")
  @Outcome(expect = FORBIDDEN, desc = "Both ask, or none does.")
  @State
  public static class OneAsk extends StateHands {
    public OneAsk() {
      stress.arrive(100);
    }

    @Actor
    public void first(ZZ_Result r) {
      r.r1 = stress.leasing().want(stress.hand, StressHands.TERMS, 1, stress.nowNs()) > 0;
    }

    @Actor
    public void second(ZZ_Result r) {
      r.r2 = stress.leasing().want(stress.hand, StressHands.TERMS, 1, stress.nowNs()) > 0;
    }

    @Arbiter
    public void after() {
      stress.giveBack();
    }
  }

  /** The end of an ask that was forgotten meets the next one, which stays the only one. */
  @JCStressTest
  @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "The next one is under way.")
  @Outcome(
      id = "false, false",
      expect = ACCEPTABLE,
      desc = "The next one lost, and may come again.")
  @Outcome(expect = FORBIDDEN, desc = "Two are under way, or none may be.")
  @State
  public static class ForgottenAsk extends StateHands {
    private final long firstNs;
    private final long laterNs;

    public ForgottenAsk() {
      stress.arrive(100);
      firstNs = stress.leasing().askNs(stress.nowNs());
      stress.leasing().want(stress.hand, StressHands.TERMS, 1, stress.nowNs());
      laterNs = firstNs;
    }

    @Actor
    public void ends() {
      stress.leasing().lost(stress.hand, firstNs);
    }

    @Actor
    public void asks(ZZ_Result r) {
      r.r1 = stress.leasing().want(stress.hand, StressHands.TERMS, 1, laterNs) > 0;
    }

    @Arbiter
    public void after(ZZ_Result r) {
      r.r2 = stress.leasing().want(stress.hand, StressHands.TERMS, 1, laterNs) == 0;
      stress.giveBack();
    }
  }

  /** Two event loops are refused at once: the key is spaced once, not twice as long. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "Both tell the same.")
  @Outcome(expect = FORBIDDEN, desc = "Not spaced, or doubled by what one moment has shown.")
  @State
  public static class Spacing extends StateHands {
    public Spacing() {
      stress.arrive(1);
    }

    private void refused() {
      long nowNs = stress.nowNs();
      stress.leasing().decided(stress.hand, StressHands.TERMS, true, nowNs, 0, nowNs);
    }

    @Actor
    public void first() {
      refused();
    }

    @Actor
    public void second() {
      refused();
    }

    @Arbiter
    public void after(J_Result r) {
      final long spacedNs = stress.leasing().spacedUntilNs(stress.hand) - stress.nowNs();
      r.r1 = (spacedNs + StressHands.SPACING_NS / 2) / StressHands.SPACING_NS;
      stress.giveBack();
    }
  }

  /** Two requests of a key arrive at once: one of them may not be counted, and no other is lost. */
  @JCStressTest
  @Outcome(id = "2", expect = ACCEPTABLE, desc = "Both are counted.")
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "One is.")
  @Outcome(expect = FORBIDDEN, desc = "The count is something else.")
  @State
  public static class Arrival extends StateHands {
    public Arrival() {
      stress.arrive(6); // and one when the hand was taken: with two more, 2 are wanted
    }

    @Actor
    public void first() {
      stress.arrive(1);
    }

    @Actor
    public void second() {
      stress.arrive(1);
    }

    @Arbiter
    public void after(J_Result r) {
      r.r1 = stress.leasing().want(stress.hand, StressHands.TERMS, 1, stress.nowNs());
      stress.giveBack();
    }
  }

  /**
   * Hands for one state of one test, of a pool: see {@link StressTable}. Each time the clock has
   * moved on, so that the hand of the state before is idle; the key's is the only one of its line
   * that is.
   */
  static final class StressHands {
    private static final ConcurrentLinkedQueue<StressHands> POOL = new ConcurrentLinkedQueue<>();
    static final LeaseTerms TERMS = new LeaseTerms(StressTable.SECOND, true);

    /** The first spacing of a key that was refused: two round trips, in whole ticks. */
    static final long SPACING_NS = 1 << 20;

    private static final long HELD_UNTIL_NS = Long.MAX_VALUE >> 8;

    final LeaseTable hands = new LeaseTable(8);
    int hand;
    private long epoch;

    private StressHands() {
      // The other ways of the line are somebody's for good.
      for (int way = 1; way < 8; way++) {
        final int other = hands.claim(2 + way, 1);
        hands.publish(other, hands.reserve(other, 2 + way), 1, HELD_UNTIL_NS);
      }
    }

    static StressHands take() {
      final StressHands pooled = POOL.poll();
      final StressHands taken = pooled == null ? new StressHands() : pooled;
      taken.epoch++;
      taken.hand = taken.hands.claim(taken.key(), taken.nowNs());
      taken.hands.arrived(taken.hand, TERMS, taken.nowNs());
      return taken;
    }

    /** Forgets what is left, so that the hand is free for the next. */
    void giveBack() {
      for (int place = 0; place < LeaseTable.LEASES_PER_HAND; place++) {
        final long lease = hands.lease(hand, place);
        if (lease != 0 && hands.takeOut(hand, place, lease) > 0) {
          hands.free(hand, place);
        }
      }
      POOL.add(this);
    }

    long nowNs() {
      return epoch * 100 * StressTable.SECOND;
    }

    long key() {
      return epoch << 16;
    }

    /** Another one that can have the same hand. */
    long otherKey() {
      return key() + 1;
    }

    /** The rules, as each thread has them. */
    Leasing leasing() {
      final RoundTrips roundTrips = new RoundTrips();
      roundTrips.add(SPACING_NS / 2);
      return new Leasing(hands, roundTrips, StressTable.SECOND);
    }

    /** Counts the arrival of some requests. */
    void arrive(int count) {
      for (int i = 0; i < count; i++) {
        hands.arrived(hand, TERMS, nowNs());
      }
    }

    /** The place of a lease of so many units. */
    int lease(int units) {
      final int place = hands.reserve(hand, key());
      hands.publish(hand, place, units, nowNs() + (place + 1) * StressTable.SECOND);
      return place;
    }

    boolean take(int units, Taken into) {
      return hands.take(hand, key(), units, nowNs(), into);
    }

    /** Units that can still be used. */
    int left() {
      return (int) hands.usable(key(), nowNs());
    }
  }
}

package dev.weir.bench.stress;

import dev.weir.algorithms.lease.LeaseTable;
import dev.weir.algorithms.lease.LeaseTerms;
import dev.weir.algorithms.lease.Leasing;
import dev.weir.algorithms.lease.RoundTrips;
import dev.weir.algorithms.lease.Taken;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Hands for one state of one test, of a pool: see {@link StressTable}. Each time the clock has
 * moved on, so that the hand of the state before is idle; the key's is the only one of its line
 * that is.
 */
final class StressHands {
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

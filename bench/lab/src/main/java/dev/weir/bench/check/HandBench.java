package dev.weir.bench.check;

import static dev.weir.bench.check.Keys.BATCH;
import static dev.weir.bench.check.Keys.STEP_NS;

import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.algorithms.lease.LeaseTable;
import dev.weir.algorithms.lease.LeaseTerms;
import dev.weir.algorithms.lease.Leasing;
import dev.weir.algorithms.lease.RoundTrips;
import dev.weir.algorithms.lease.Taken;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What does it cost to take from a hand, beside a check of this node's own table? With all that a
 * request of mode leased does there: its arrival is counted, a unit is taken, and it is looked
 * whether more should be asked for.
 */
@State(Scope.Benchmark)
public class HandBench extends CheckBench {
  private static final long LIFE_NS = 1_000_000_000L;
  private static final LeaseTerms TERMS = new LeaseTerms(LIFE_NS, true);

  /** Of a lease, so that of a hundred thousand requests one asks for more. */
  private static final long UNITS = 100_000;

  private LeaseTable hands;
  private LimitTable table;
  private Limit limit;

  /** What a thread has of its own, as an event loop does. */
  @State(Scope.Thread)
  public static class Own {
    private final Taken taken = new Taken();
    private Leasing leasing;

    @Setup
    public void make(HandBench bench) {
      leasing = new Leasing(bench.hands, new RoundTrips(), LIFE_NS);
    }
  }

  @Setup
  public void make(Keys keys) {
    hands = new LeaseTable(Math.max(64, 4 * Integer.highestOneBit(keys.keys)));
    table = new LimitTable(keys.slotCount());
    limit = Algorithm.GCRA.roomy(keys);
  }

  @TearDown
  public void free() {
    hands.close();
    table.close();
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int taken(Keys keys, Asker asker, Own own) {
    int count = 0;
    long nowNs = keys.batchNs();
    final int start = asker.nextBatch();
    for (int i = start; i < start + BATCH; i++) {
      final long key = asker.hashOf(keys.id(i));
      final int hand = own.leasing.arrived(key, TERMS, nowNs);
      if (hand == LeaseTable.NONE) { // of many keys a few find no room: the store decides on those
        continue;
      }
      if (!own.leasing.take(hand, key, 1, nowNs, own.taken)) {
        lease(hand, key, nowNs);
        own.leasing.take(hand, key, 1, nowNs, own.taken);
      }
      count += own.leasing.isAlmostEmpty(TERMS, own.taken, nowNs) ? 0 : 1;
      nowNs += STEP_NS;
    }
    asker.tally(BATCH);
    return count;
  }

  /** As if the store had been asked. */
  private void lease(int hand, long key, long nowNs) {
    for (int place = 0; place < LeaseTable.LEASES_PER_HAND; place++) {
      final long over = hands.lease(hand, place);
      if (over != 0 && hands.takeOut(hand, place, over) > 0) {
        hands.free(hand, place);
      }
    }
    final int place = hands.reserve(hand, key);
    if (place != LeaseTable.NO_PLACE) {
      hands.publish(hand, place, UNITS, nowNs + LIFE_NS);
    }
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int checked(Keys keys, Asker asker) {
    int count = 0;
    long nowNs = keys.batchNs();
    final int start = asker.nextBatch();
    for (int i = start; i < start + BATCH; i++) {
      final long key = asker.hashOf(keys.id(i));
      count += table.check(key, limit, 1, nowNs, asker.out) ? 1 : 0;
      nowNs += STEP_NS;
    }
    return asker.tally(count);
  }
}

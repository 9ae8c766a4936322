package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.algorithms.store.StoredBudget;
import dev.weir.algorithms.store.StoredBudgets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The search on the script, which is asked the same as its twin and has to say the same; {@code
 * -Dweir.lease.script.traces=20000} for a longer one.
 */
class LeaseSearchIT extends ScriptServer {
  private static final int TRACES = Integer.getInteger("weir.lease.script.traces", 300);

  private int name;

  /**
   * The script and its twin side by side; half of what keeps nothing is a check of the script's.
   */
  private LeaseStore both(List<LimitSpec> specs) {
    final ScriptLeases script = new ScriptLeases(this::bytesAt, "search" + name++, specs);
    final StoredBudget[] budgets =
        specs.stream().map(LimitSpec::budget).toArray(StoredBudget[]::new);
    final LeaseStore twin = LeaseStore.of(new StoredBudgets(budgets), specs.size());
    return new LeaseStore() {
      @Override
      public Lease lease(long requests, long keep, long lifeUs, long[] costs, long nowUs)
          throws IOException {
        final Lease expected = twin.lease(requests, keep, lifeUs, costs, nowUs);
        if (keep == 0 && requests > 0 && nowUs % 2 == 0) {
          final Lease checked = script.check(requests, costs, nowUs);
          assertEquals(expected.unmarked(), checked, specs.toString());
          return checked;
        }
        final Lease lease = script.lease(requests, keep, lifeUs, costs, nowUs);
        assertEquals(expected, lease, specs.toString());
        return lease;
      }

      @Override
      public boolean giveBack(
          long requests, long atUs, long lifeUs, long[] costs, List<Long> marks, long nowUs)
          throws IOException {
        final boolean isAny = script.giveBack(requests, atUs, lifeUs, costs, marks, nowUs);
        assertEquals(twin.giveBack(requests, atUs, lifeUs, costs, marks, nowUs), isAny);
        return isAny;
      }
    };
  }

  private byte[] bytesAt(long nowUs, CheckCall call, String... keys) throws IOException {
    return client.eval(TIMED, Long.toString(nowUs), call, keys);
  }

  @ParameterizedTest
  @EnumSource
  void noTraceIsOverItsLimitAndTheTwinSaysTheSame(LimitSpec.Kind kind) throws IOException {
    assertNull(new LeaseSearch(this::both).search(kind, 11, TRACES));
  }

  @ParameterizedTest
  @EnumSource
  void theTwinSaysTheSameWhateverTheClockDoes(LimitSpec.Kind kind) throws IOException {
    final SplittableRandom random = new SplittableRandom(12);
    for (int trace = 0; trace < TRACES / 2; trace++) {
      final LimitSpec spec = LimitSpec.draw(kind, random);
      final LeaseStore store = both(List.of(spec));
      final List<LeaseStore.Lease> leases = new ArrayList<>();
      final long[] costs = {1 + random.nextInt(2)};
      long latestUs = 1_700_000_000_000_000L;
      for (int step = 0; step < 16; step++) {
        latestUs += random.nextLong(1 + spec.windowUs() / (1 + random.nextInt(4)));
        final boolean isFar = random.nextInt(20) == 0;
        final long backUs = random.nextLong(1 + spec.windowUs() * (isFar ? 5 : 1));
        final long nowUs = random.nextInt(4) == 0 ? latestUs - backUs : latestUs;
        if (random.nextInt(3) > 0 || leases.isEmpty()) {
          final long requests = random.nextLong(spec.limit() + 2);
          final long keep = random.nextLong(1 + spec.limit() / 2);
          leases.add(store.lease(requests, keep, 1 + random.nextInt(40), costs, nowUs));
        } else {
          final LeaseStore.Lease of = leases.get(random.nextInt(leases.size()));
          final long requests = 1 + random.nextLong(1 + of.granted());
          final boolean isKept = random.nextBoolean();
          final List<Long> marks = isKept ? of.keptMarks() : of.grantedMarks();
          store.giveBack(requests, of.atUs(), isKept ? of.lifeUs() : 0, costs, marks, nowUs);
        }
      }
    }
  }
}

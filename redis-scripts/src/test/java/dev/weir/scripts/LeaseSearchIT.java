package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.algorithms.lease.StoredBudget;
import dev.weir.algorithms.lease.StoredBudgets;
import java.io.IOException;
import java.util.List;
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
}

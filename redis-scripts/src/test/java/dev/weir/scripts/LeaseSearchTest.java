package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.store.StoredBudget;
import dev.weir.algorithms.store.StoredBudgets;
import dev.weir.scripts.LeaseSearch.Breach;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The search on the script's twin; {@code -Dweir.lease.traces=1000000} for a longer one. */
class LeaseSearchTest {
  private static final int TRACES = Integer.getInteger("weir.lease.traces", 20_000);
  private static final long SEED = Long.getLong("weir.lease.seed", 5);

  private static LeaseStore twin(List<LimitSpec> specs, Function<LimitSpec, StoredBudget> budgets) {
    return LeaseStore.of(
        new StoredBudgets(specs.stream().map(budgets).toArray(StoredBudget[]::new)), specs.size());
  }

  private static LeaseStore twin(List<LimitSpec> specs) {
    return twin(specs, LimitSpec::budget);
  }

  @ParameterizedTest
  @EnumSource
  void noTraceOfLeasesUsesAndRefundsIsOverItsLimit(LimitSpec.Kind kind) throws IOException {
    final LeaseSearch search = new LeaseSearch(LeaseSearchTest::twin);
    assertNull(search.search(kind, SEED, TRACES));
    final String told = search.kept() + " kept, " + search.used() + " used, " + search.refunds();
    assertTrue(search.used() > TRACES / 10 && search.refunds() > TRACES / 10, told);
  }

  @ParameterizedTest
  @EnumSource
  void findsEachRuleOfTheStoreThatIsBroken(BrokenBudgets broken) throws IOException {
    final LeaseSearch search =
        new LeaseSearch(
            specs ->
                twin(
                    specs,
                    spec -> spec.kind() == broken.kind() ? broken.budget(spec) : spec.budget()));
    assertNotNull(search.search(broken.kind(), SEED, 20 * TRACES), broken.name());
  }

  @ParameterizedTest
  @EnumSource
  void findsEachRuleOfTheHoldersThatIsBroken(Breach breach) throws IOException {
    for (LimitSpec.Kind kind : LimitSpec.Kind.values()) {
      if (breach == Breach.MARK_AFTER_THE_KEPT_PART && kind != LimitSpec.Kind.PACED) {
        continue; // the others have none
      }
      final LeaseSearch search = new LeaseSearch(LeaseSearchTest::twin, breach);
      assertNotNull(search.search(kind, SEED, 20 * TRACES), breach + " of " + kind);
    }
  }
}

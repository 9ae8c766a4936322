package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.request.Question;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;
import org.junit.jupiter.api.Test;

class BatchChecksTest {
  private final ScriptLimit[] limits = {ScriptLimit.paced(1_000, 1_000, 1_000_000)};
  private final StoreKeys keys = new StoreKeys(1);
  private final StoreQuestion question = new StoreQuestion();
  private final BatchChecks checks = new BatchChecks();

  @Test
  void holdsAsManyRequestsOfOneBudgetAsABatchAtTheHighestCost() {
    checks.begin(0);
    keys.add(8, 0, 31, 0);
    for (int i = 0; i < BatchRequests.MAX_COUNT; i++) {
      question.check(null, i).of(keys, 0, limits);
      question.costs[0] = Question.MAX_COST;
      assertEquals(0, checks.add(question));
    }
    assertEquals(1, checks.count());
  }

  @Test
  void knowsNothingOfTheChecksOfTheBatchBefore() {
    for (int batch = 0; batch < 4; batch++) {
      checks.begin(0);
      for (int key = 0; key < BatchChecks.MAX_KEYS; key++) {
        keys.clear();
        keys.buffer().putInt(0, key);
        keys.add(8, 0, 31L * (batch * BatchChecks.MAX_KEYS + key), 0);
        assertEquals(key, checks.add(question.check(null, key).of(keys, 0, limits)));
      }
    }
  }
}

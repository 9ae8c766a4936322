package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ProofTableTest {
  private final ProofTable proofs = new ProofTable(16);

  @Test
  void holdsUntilTheMomentAndNotAtIt() {
    proofs.note(7, 1_000, 1_000, 5_000, 2);
    int entry = proofs.find(7, 999);
    assertTrue(entry >= 0);
    assertEquals(1_000, proofs.retryAtNs(entry));
    assertEquals(5_000, proofs.resetAtNs(entry));
    assertEquals(2, proofs.remaining(entry));
    assertTrue(proofs.find(7, 1_000) < 0);
  }

  @Test
  void provesNothingOfAnotherBudget() {
    proofs.note(7, 1_000, 1_000, 1_000, 0);
    assertTrue(proofs.find(8, 1) < 0);
    assertTrue(proofs.find(7 + (1L << 40), 1) < 0);
  }

  @Test
  void takesTheLaterAnswerForTheSameBudget() {
    proofs.note(7, 1_000, 1_000, 1_000, 0);
    proofs.note(7, 500, 500, 900, 1);
    assertTrue(proofs.find(7, 600) < 0);
  }

  @Test
  void holdsUntilTheStoreIsToBeAskedAgainAndTellsWhenToRetryNevertheless() {
    proofs.note(7, 1_000, 9_000, 9_500, 0);
    int entry = proofs.find(7, 999);
    assertEquals(9_000, proofs.retryAtNs(entry));
    assertTrue(proofs.find(7, 1_000) < 0);
    proofs.note(7, 1_000, 300, 300, 0);
    assertTrue(proofs.find(7, 300) < 0);
  }

  @Test
  void forgetsWhatIsGivenBackAndNothingElse() {
    proofs.note(7, 1_000, 1_000, 1_000, 0);
    proofs.note(8, 1_000, 1_000, 1_000, 0);
    proofs.forget(7);
    proofs.forget(9);
    assertTrue(proofs.find(7, 1) < 0);
    assertTrue(proofs.find(8, 1) >= 0);
  }

  @Test
  void provesNothingOnceItIsCleared() {
    proofs.note(7, 1_000, 1_000, 1_000, 0);
    proofs.clear();
    assertTrue(proofs.find(7, 1) < 0);
  }

  @Test
  void neverSaysMoreThanWasNotedHoweverFull() {
    Random random = new Random(11);
    Map<Long, Long> noted = new HashMap<>();
    int found = 0;
    for (int step = 0; step < 100_000; step++) {
      long nowNs = step;
      long key = random.nextInt(64);
      if (random.nextBoolean()) {
        long untilNs = nowNs + random.nextInt(100);
        proofs.note(key, untilNs, untilNs, untilNs, 0);
        noted.put(key, untilNs);
      } else if (proofs.find(key, nowNs) >= 0) {
        found++;
        assertTrue(nowNs < noted.get(key), "key " + key + " at " + nowNs);
      }
    }
    assertTrue(found > 1_000, found + " found");
  }
}

package dev.weir.proxy.token;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.ClientKey;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BadTokenBudgetTest {
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long TOKEN_NS = TimeUnit.MICROSECONDS.toNanos(500);
  private static final long NEWCOMER = 1_000_000;

  private final BadTokenBudget budget = new BadTokenBudget();
  private long nowNs = 1;
  private long spentNs;

  /** Whether a bad token of a client was verified, which takes time; else some time passes. */
  private boolean send(long client) {
    if (!budget.allows(client, nowNs)) {
      nowNs += TOKEN_NS / 50;
      return false;
    }
    budget.spend(client, TOKEN_NS, nowNs);
    spentNs += TOKEN_NS;
    nowNs += TOKEN_NS;
    return true;
  }

  /** Each of a few clients keeps to its part of the time; together they ask for more than all. */
  @ParameterizedTest
  @ValueSource(ints = {9, 20})
  void aFewClientsLeaveRoomForOneWithoutBadTokens(int clients) {
    for (int i = 0; nowNs < 30 * SECOND_NS; i++) {
      send(1 + i % clients);
      assertTrue(budget.allows(NEWCOMER, nowNs), "after " + nowNs + " ns");
    }
    assertTrue(spentNs > 3 * SECOND_NS, spentNs + " ns");
  }

  /** Through proxies that name no client anybody may come, as often as they like. */
  @Test
  void clientsThatCannotBeToldApartLeaveRoomForOthers() {
    while (nowNs < SECOND_NS) {
      send(ClientKey.NONE);
      assertTrue(budget.allows(NEWCOMER, nowNs));
    }
  }

  /** However many addresses an attacker has. */
  @Test
  void newClientsWithoutEndTakeAnEighthOfTheTime() {
    for (int client = 1; nowNs < 10 * SECOND_NS; client++) {
      send(client);
    }
    long mostNs = nowNs / 8 + BadTokenBudget.LOOP_BURST_NS + TOKEN_NS;
    assertTrue(spentNs <= mostNs && spentNs > mostNs * 9 / 10, spentNs + " of " + mostNs);
  }

  @Test
  void oneClientTakesA64th() {
    while (nowNs < 10 * SECOND_NS) {
      send(1);
    }
    long mostNs = nowNs / 64 + BadTokenBudget.CLIENT_BURST_NS + TOKEN_NS;
    assertTrue(spentNs <= mostNs && spentNs > mostNs * 9 / 10, spentNs + " of " + mostNs);
  }

  /** A token without the name of its key is tried with several. */
  @Test
  void chargesAllTriesOfOneToken() {
    long slowestNs = JoseVerifier.MOST_TRIES * TimeUnit.MICROSECONDS.toNanos(500);
    int tokens = 0;
    while (budget.allows(1, nowNs)) {
      budget.spend(1, slowestNs, nowNs);
      tokens++;
    }
    assertEquals(BadTokenBudget.CLIENT_BURST_NS / slowestNs, tokens);
  }

  @Test
  void aPauseOfTheMachineIsNobodysFault() {
    budget.spend(1, 10 * SECOND_NS, nowNs);
    assertTrue(budget.allows(1, nowNs));
    budget.spend(1, BadTokenBudget.CLIENT_BURST_NS, nowNs);
    budget.spend(1, BadTokenBudget.CLIENT_BURST_NS, nowNs);
    assertFalse(budget.allows(1, nowNs));
  }
}

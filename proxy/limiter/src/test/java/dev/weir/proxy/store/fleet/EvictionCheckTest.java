package dev.weir.proxy.store.fleet;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class EvictionCheckTest {
  private static String warning(String policy) {
    return EvictionCheck.warning("a:1", "maxmemory:100\r\nmaxmemory_policy:" + policy + "\r\n");
  }

  @Test
  void warnsOfServersThatMayForgetBudgets() {
    assertTrue(warning("allkeys-lru").startsWith("redis a:1: maxmemory-policy: allkeys-lru ("));
    assertNull(warning("noeviction"));
    assertNull(EvictionCheck.warning("a:1", "maxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n"));
    assertNull(EvictionCheck.warning("a:1", ""));
  }

  @Test
  void showsOfAPolicyThatNobodyKnowsWhatFitsALine() {
    String told = warning("a".repeat(100_000));
    assertTrue(told.length() < 500, told.length() + " characters");
  }
}

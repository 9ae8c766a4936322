package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.Verdict.State;
import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WarnedKeysTest {
  private static final int WARN_AT = 800;
  private static final QuotaPolicy POLICY = new QuotaPolicy("p", 1000, 60);

  private final WarnedKeys keys = new WarnedKeys();
  private final Verdict verdict = new Verdict();

  /** The state when so many thousandths of the limit are used. */
  private State at(long key, int usedPermille) {
    return keys.state(key, WARN_AT, verdict.allow(POLICY, 1000, 1000 - usedPermille, 0));
  }

  @Test
  void warnFromTheMarkOnAndUntilTenPointsBelow() {
    assertEquals(State.NORMAL, at(7, 799));
    assertEquals(State.WARNING, at(7, 800));
    assertEquals(State.WARNING, at(7, 799));
    assertEquals(State.WARNING, at(7, 700));
    assertEquals(State.NORMAL, at(7, 699));
    assertEquals(State.NORMAL, at(7, 799));
  }

  @Test
  void areThrottledWithNothingLeftAndWhenRefused() {
    assertEquals(State.WARNING, at(7, 999));
    assertEquals(State.THROTTLED, at(7, 1000));
    assertEquals(State.WARNING, at(7, 700));
    verdict.refuse(RefusalReason.OVER_LIMIT, POLICY, 1000, 900, 1, 1);
    assertEquals(
        State.THROTTLED, keys.state(8, WARN_AT, verdict), "too costly, though much is left");
    assertEquals(State.WARNING, at(8, 750));
  }

  @Test
  void agreeWithAModelOfFewerKeysThanTheyHold() {
    Random random = new Random(5);
    Set<Long> warned = new HashSet<>();
    for (int i = 0; i < 200_000; i++) {
      long key = 1 + random.nextInt(WarnedKeys.COUNT / 16) * 0x9E37_79B9_7F4A_7C15L;
      int used = random.nextInt(1000);
      boolean warns = used >= (warned.contains(key) ? WARN_AT - 100 : WARN_AT);
      assertEquals(warns ? State.WARNING : State.NORMAL, at(key, used));
      if (warns) {
        warned.add(key);
      } else {
        warned.remove(key);
      }
    }
  }

  @Test
  void keepThoseThatAreMetAndNotTheOthers() {
    Random random = new Random(6);
    long met = random.nextLong();
    at(met, 900);
    for (int i = 0; i < 20 * WarnedKeys.COUNT; i++) {
      at(random.nextLong(), 900);
      if (i % WarnedKeys.COUNT == 0) {
        for (int j = 0; j < 2; j++) {
          at(met, 900);
        }
      }
      if (i % 1000 == 0) {
        assertEquals(State.WARNING, at(met, 750));
      }
    }
  }

  @Test
  void allocateNothingOnceOneHasWarned() {
    at(1, 900);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 8; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 50_000; i++) {
        at(1 + i * 31L, i % 1000);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertTrue(least == 0, least + " bytes for 50,000 verdicts");
  }
}

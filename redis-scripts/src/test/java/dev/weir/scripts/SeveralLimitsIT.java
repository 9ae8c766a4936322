package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.LimitSet;
import dev.weir.algorithms.LimitTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Several limits of one check, beside the library's set of limits. */
class SeveralLimitsIT extends ScriptServer {
  private static final int CHECKS_PER_CALL = 20;
  private static final int CALLS = 2_000;

  /** All but the queue, whose remaining units the library counts in another way within a set. */
  private static final Algorithm[] ALGORITHMS = {
    Algorithm.GCRA,
    Algorithm.FIXED_WINDOW,
    Algorithm.SLIDING_COUNTER,
    Algorithm.SLIDING_LOG,
    Algorithm.BUCKET_RING
  };

  private record Identity(dev.weir.algorithms.Limit[] here, ScriptLimit[] limits, String[] keys) {}

  private static Identity identity(int number, Random random) {
    final int size = 2 + random.nextInt(3);
    final dev.weir.algorithms.Limit[] limits = new dev.weir.algorithms.Limit[size];
    final ScriptLimit[] scripts = new ScriptLimit[size];
    final String[] keys = new String[size];
    for (int i = 0; i < size; i++) {
      final Algorithm algorithm = ALGORITHMS[random.nextInt(ALGORITHMS.length)];
      final long capacity = 5 + random.nextInt(20);
      limits[i] = algorithm.limit(capacity);
      scripts[i] = algorithm.script(capacity);
      keys[i] = "{p}" + number + ":" + i;
    }
    return new Identity(limits, scripts, keys);
  }

  @Test
  void areChargedAllOrNoneAndToldOfAsInTheLibrary() throws Exception {
    final Random random = new Random(5);
    final List<Identity> identities = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      identities.add(identity(i, random));
    }
    final CheckCall call = new CheckCall(4 * CHECKS_PER_CALL);
    final Decision out = new Decision();
    final LimitSet set = new LimitSet();
    long latest = 1_000_000_000_000L;
    int refused = 0;
    int partial = 0;
    int notFirst = 0;
    try (LimitTable table = new LimitTable(1024, 64)) {
      for (int round = 0; round < CALLS; round++) {
        latest += random.nextLong(WINDOW_US / 3);
        final long nowUs =
            random.nextInt(8) == 0 ? latest - random.nextLong(WINDOW_US / 4) : latest;
        final List<String> keys = new ArrayList<>();
        final List<long[]> expected = new ArrayList<>();
        call.clear();
        for (int i = 0; i < CHECKS_PER_CALL; i++) {
          final Identity identity = identities.get(random.nextInt(identities.size()));
          final int number = identities.indexOf(identity);
          final long cost = 1 + random.nextInt(random.nextInt(8) == 0 ? 26 : 3);
          final long requests = 1 + random.nextInt(3);
          set.clear();
          for (int j = 0; j < identity.here.length; j++) {
            set.add(table, 8 * number + j, identity.here[j], cost);
          }
          long granted = 0;
          while (granted < requests && set.check(nowUs * 1000, out)) {
            granted++;
          }
          expected.add(
              new long[] {
                granted,
                set.chosen(),
                out.remaining(),
                out.resetAtNs(),
                granted == requests
                    ? 0
                    : out.retryAfterNs() == Decision.NEVER ? -1 : (out.retryAfterNs() + 999) / 1000
              });
          call.check(requests, cost, identity.limits[0]);
          for (int j = 1; j < identity.limits.length; j++) {
            call.also(identity.limits[j], cost);
          }
          keys.addAll(List.of(identity.keys));
          refused += granted == 0 ? 1 : 0;
          partial += granted > 0 && granted < requests ? 1 : 0;
          notFirst += set.chosen() > 0 ? 1 : 0;
        }
        final CheckReply reply = at(nowUs, call, keys.toArray(new String[0]));
        for (int i = 0; i < CHECKS_PER_CALL; i++) {
          final String what = "round " + round + " check " + i;
          assertEquals(expected.get(i)[0], reply.granted(i), what);
          assertEquals(expected.get(i)[1], reply.limitIndex(i), what);
          assertEquals(expected.get(i)[2], reply.remaining(i), what);
          assertEquals(expected.get(i)[3], reply.resetAtUs(i) * 1000, what);
          assertEquals(expected.get(i)[4], reply.retryAfterUs(i), what);
        }
      }
    }
    assertTrue(refused > 1000 && partial > 1000 && notFirst > 1000, refused + " " + partial);
  }

  @Test
  void eachLimitTakesACostOfItsOwn() throws Exception {
    final long nowUs = 1_000_000_000_000L;
    final String[] keys = {"{p}requests", "{p}tokens"};
    final ScriptLimit requests = ScriptLimit.paced(10, 10, WINDOW_US);
    final ScriptLimit tokens = ScriptLimit.fixedWindow(1_000, WINDOW_US, 0);
    final CheckCall call = new CheckCall(4);
    call.check(5, 1, requests);
    CheckReply reply = at(nowUs, call.also(tokens, 300), keys);
    assertEquals(3, reply.granted(0), "tokens for three");
    assertEquals(1, reply.limitIndex(0));
    assertEquals(100, reply.remaining(0));
    call.clear().refund(1, nowUs, requests);
    at(nowUs, call.also(tokens, 300), keys);
    call.clear().peek(9, 1, requests);
    call.peek(9, 100, tokens);
    reply = at(nowUs, call, keys);
    assertEquals(8, reply.granted(0));
    assertEquals(4, reply.granted(1));
  }
}

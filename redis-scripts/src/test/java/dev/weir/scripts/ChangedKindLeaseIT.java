package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.scripts.LeaseStore.Lease;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two versions of a rule whose limits differ in kind, while units are kept under the older one:
 * they are used last under the older limit, and count so under the newer.
 */
class ChangedKindLeaseIT extends ScriptServer {
  private static final long NOW = 1_700_000_000_000_000L;
  private static final long LIMIT = 100;
  private static final long[] COST = {1};

  /** More with {@code -Dweir.lease.script.traces=20000}. */
  private static final int TRACES = Integer.getInteger("weir.lease.script.traces", 60);

  private int name;
  private long used;

  private ScriptLeases under(LimitSpec spec, String key) {
    return new ScriptLeases(this::bytesAt, key, List.of(spec));
  }

  private byte[] bytesAt(long nowUs, CheckCall call, String... keys) throws IOException {
    return client.eval(TIMED, Long.toString(nowUs), call, keys);
  }

  /**
   * The newer limit is asked for all that there is, again and again, and the judge counts what is
   * used from its first grant on: as of an identity of which nothing was known.
   */
  @ParameterizedTest
  @EnumSource
  void neverMoreThanTheNewerLimitWhateverTheOlderOneHasKept(LimitSpec.Kind newer)
      throws IOException {
    final SplittableRandom random = new SplittableRandom(31);
    for (LimitSpec.Kind older : LimitSpec.Kind.values()) {
      for (int trace = 0; trace < TRACES && older != newer; trace++) {
        trace(draw(older, random), draw(newer, random), random);
      }
    }
    assertTrue(used > TRACES, "used of what was kept: " + used);
  }

  private static LimitSpec draw(LimitSpec.Kind kind, SplittableRandom random) {
    final int subWindows = kind == LimitSpec.Kind.BUCKET_RING ? 2 + random.nextInt(4) : 1;
    final long windowUs = (1 + random.nextLong(40)) * 1_000 * subWindows;
    final long lifeUs = random.nextBoolean() ? windowUs : windowUs / 10;
    return new LimitSpec(kind, LIMIT, windowUs, subWindows, lifeUs);
  }

  private void trace(LimitSpec older, LimitSpec newer, SplittableRandom random) throws IOException {
    final String key = "kinds" + name++;
    final ScriptLeases before = under(older, key);
    final ScriptLeases after = under(newer, key);
    final UseJudge judge = new UseJudge(newer);
    final List<Long> ends = new ArrayList<>();
    final List<Long> kept = new ArrayList<>();
    long nowUs = NOW + random.nextLong(older.windowUs());
    for (int i = 0; i < 2; i++) {
      final Lease lease =
          before.lease(random.nextInt(3), 1 + random.nextInt(30), older.lifeUs(), COST, nowUs);
      ends.add(nowUs + lease.lifeUs());
      kept.add(lease.kept());
      nowUs += random.nextLong(older.lifeUs() / 2 + 1);
    }
    final StringBuilder told = new StringBuilder();
    final long lastUs = nowUs + 4 * newer.windowUs();
    while (nowUs < lastUs) {
      for (int i = 0; i < kept.size(); i++) {
        final boolean isLast = random.nextInt(3) == 0;
        if (nowUs < ends.get(i) && kept.get(i) > 0 && (isLast || random.nextInt(4) == 0)) {
          judge.used(nowUs, kept.get(i));
          used += kept.get(i);
          told.append('\n').append(nowUs - NOW).append(": uses kept ").append(kept.get(i));
          kept.set(i, 0L);
        }
      }
      final Lease asked = after.lease(1 + random.nextLong(LIMIT), 0, 1, COST, nowUs);
      judge.used(nowUs, asked.granted());
      told.append('\n').append(nowUs - NOW).append(": granted ").append(asked.granted());
      long nextUs = nowUs + 1 + random.nextLong(newer.windowUs() / 3);
      for (long endUs : ends) {
        if (endUs - 1 > nowUs && random.nextBoolean()) {
          nextUs = Math.min(nextUs, endUs - 1);
        }
      }
      nowUs = nextUs;
    }
    assertEquals(0, judge.over(), older + " to " + newer + told);
  }
}

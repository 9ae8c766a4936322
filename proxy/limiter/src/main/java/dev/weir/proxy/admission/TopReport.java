package dev.weir.proxy.admission;

import dev.weir.proxy.metrics.HeavyHitters;
import dev.weir.proxy.rule.spec.KeySpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The keys that a sidecar is asked about most, or refuses most.
 *
 * @param coversNs the time that the counts cover.
 * @param requests of all keys, of those that are not listed too; a request with several keys counts
 *     for each. So does {@code refused}.
 * @param rows the first first.
 */
public record TopReport(long coversNs, long requests, long refused, List<Row> rows) {
  private static final String ALL = KeySpec.ALL.toString();

  /** By which of its counts a key is ranked. */
  public enum By {
    REQUESTS,
    REFUSED
  }

  /**
   * A number of requests.
   *
   * @param error by so much 19 of 20 counts are wrong at most.
   */
  public record Count(long count, long error) {}

  /**
   * A key of a rule.
   *
   * @param rule whose limits count by it.
   * @param key the sources of the identity, as the rule names them.
   * @param identity as it is written in the store: in ASCII, or hashed; {@code all} of the budget
   *     that all callers share.
   */
  public record Row(String rule, String key, String identity, Count requests, Count refused) {
    private Count by(By by) {
      return by == By.REQUESTS ? requests : refused;
    }

    /** Whether the identity is somebody's. */
    public boolean isSomebody() {
      return !key.equals(ALL);
    }
  }

  /** One kind of counts of all event loops. */
  private static final class Sum {
    private final List<HeavyHitters> loops;
    private final List<Map<Long, HeavyHitters.Found>> byKey = new ArrayList<>();

    Sum(List<HeavyHitters> loops) {
      this.loops = loops;
      for (HeavyHitters loop : loops) {
        Map<Long, HeavyHitters.Found> found = new HashMap<>();
        loop.read(one -> found.put(one.key(), one));
        byKey.add(found);
      }
    }

    /** A key that has no place on a loop may have come unnoticed there. */
    Count of(long key) {
      long count = 0;
      long error = 0;
      for (int loop = 0; loop < loops.size(); loop++) {
        HeavyHitters.Found found = byKey.get(loop).get(key);
        count += found == null ? 0 : found.count();
        error += found == null ? loops.get(loop).unnoticed(key) : found.error();
      }
      return new Count(count, error);
    }

    long total() {
      return loops.stream().mapToLong(HeavyHitters::total).sum();
    }

    /** A key for each that has a place on any loop. */
    Collection<HeavyHitters.Found> keys() {
      Map<Long, HeavyHitters.Found> keys = new HashMap<>();
      byKey.forEach(keys::putAll);
      return keys.values();
    }
  }

  /**
   * Adds up what all event loops have counted.
   *
   * @param rule the only one to be listed; null for all.
   */
  public static TopReport of(List<TopKeys.Counted> loops, By by, String rule, int most) {
    Sum requests = new Sum(loops.stream().map(TopKeys.Counted::asked).toList());
    Sum refused = new Sum(loops.stream().map(TopKeys.Counted::refused).toList());
    List<Row> rows = new ArrayList<>();
    for (HeavyHitters.Found one : (by == By.REQUESTS ? requests : refused).keys()) {
      if (rule == null || rule.equals(one.rule())) {
        String identity = one.kind().equals(ALL) ? ALL : one.identity();
        Count asked = requests.of(one.key());
        rows.add(new Row(one.rule(), one.kind(), identity, asked, refused.of(one.key())));
      }
    }
    rows.sort(
        Comparator.comparingLong((Row row) -> row.by(by).count())
            .reversed()
            .thenComparing(Row::rule)
            .thenComparing(Row::identity));
    return new TopReport(
        loops.stream().mapToLong(TopKeys.Counted::coversNs).max().orElse(0),
        requests.total(),
        refused.total(),
        List.copyOf(rows.subList(0, Math.min(most, rows.size()))));
  }
}

package dev.weir.proxy.metrics;

import dev.weir.proxy.metrics.WhatIfCounts.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * How the candidate would have decided, beside how the rules in use did.
 *
 * @param since when the counts began; null if there is no candidate.
 * @param sample the part of the identities that is asked about, as a file says it.
 * @param isLatest whether the file as it was read last is the candidate; else an earlier one is, or
 *     none.
 * @param rows those with most differences first.
 */
public record WhatIfReport(Instant since, String sample, boolean isLatest, List<Row> rows) {
  /** The most identities that are told of one row. */
  public static final int MOST_IDENTITIES = 10;

  /**
   * Requests of one rule in use and one of the candidate.
   *
   * @param now null if no rule applied; so is {@code then}.
   * @param counts by outcome.
   * @param identities those that differ most first.
   */
  public record Row(String now, String then, long[] counts, List<Differing> identities) {
    public long count(Outcome outcome) {
      return counts[outcome.ordinal()];
    }

    private Row shownBy(UnaryOperator<String> shown) {
      List<Differing> those = new ArrayList<>();
      for (Differing one : identities) {
        String text = one.identity().isEmpty() ? "" : shown.apply(one.identity());
        those.add(new Differing(text, one.onlyNow(), one.onlyThen()));
      }
      return new Row(now, then, counts, those);
    }

    private long differing() {
      return count(Outcome.ONLY_NOW) + count(Outcome.ONLY_THEN);
    }
  }

  /**
   * An identity, and how often at least one of the two has refused it alone.
   *
   * @param identity as it is written in the store: in ASCII, or hashed; empty if it has none.
   */
  public record Differing(String identity, long onlyNow, long onlyThen) {
    private Differing with(Differing other) {
      return new Differing(identity, onlyNow + other.onlyNow, onlyThen + other.onlyThen);
    }

    private long count() {
      return onlyNow + onlyThen;
    }
  }

  private record Pair(String now, String then) {}

  private static final class Gathered {
    private final long[] counts = new long[Outcome.values().length];
    private final Map<String, Differing> identities = new TreeMap<>();
  }

  /** Adds up the counts of all event loops. */
  public static WhatIfReport of(
      Instant since, String sample, boolean isLatest, List<WhatIfCounts> loops) {
    Map<Pair, Gathered> gathered = new LinkedHashMap<>();
    for (WhatIfCounts counts : loops) {
      for (WhatIfCounts.Row row : counts.rows()) {
        Gathered into = of(gathered, row);
        for (Outcome outcome : Outcome.values()) {
          into.counts[outcome.ordinal()] += row.count(outcome);
        }
      }
      counts.identities(
          found ->
              of(gathered, found.row())
                  .identities
                  .merge(
                      found.text(),
                      new Differing(found.text(), found.onlyNow(), found.onlyThen()),
                      Differing::with));
    }
    List<Row> rows = new ArrayList<>();
    gathered.forEach((pair, of) -> rows.add(row(pair, of)));
    rows.removeIf(row -> Objects.equals(row.now(), WhatIfCounts.OTHERS) && isEmpty(row));
    rows.sort(
        Comparator.comparingLong(Row::differing)
            .reversed()
            .thenComparing(row -> Objects.toString(row.now(), ""))
            .thenComparing(row -> Objects.toString(row.then(), "")));
    return new WhatIfReport(since, sample, isLatest, List.copyOf(rows));
  }

  private static Gathered of(Map<Pair, Gathered> gathered, WhatIfCounts.Row row) {
    return gathered.computeIfAbsent(new Pair(row.now, row.then), pair -> new Gathered());
  }

  private static Row row(Pair pair, Gathered of) {
    List<Differing> most = new ArrayList<>(of.identities.values());
    most.sort(Comparator.comparingLong(Differing::count).reversed()); // stable: then by text
    return new Row(
        pair.now,
        pair.then,
        of.counts,
        List.copyOf(most.subList(0, Math.min(MOST_IDENTITIES, most.size()))));
  }

  /** The same with identities as somebody may see them. */
  public WhatIfReport shownBy(UnaryOperator<String> shown) {
    List<Row> those = rows.stream().map(row -> row.shownBy(shown)).toList();
    return new WhatIfReport(since, sample, isLatest, those);
  }

  private static boolean isEmpty(Row row) {
    long sum = 0;
    for (long count : row.counts()) {
      sum += count;
    }
    return sum == 0;
  }
}

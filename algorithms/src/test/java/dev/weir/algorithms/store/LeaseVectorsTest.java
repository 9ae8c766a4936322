package dev.weir.algorithms.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.algorithms.lease.LeaseLife;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Leases as a table, for implementations in other languages to replay. The file is what this test
 * works out; {@code -Dweir.vectors=write} writes it anew.
 */
class LeaseVectorsTest {
  private static final Path FILE = Path.of("src/test/resources/vectors/leases.csv");
  private static final String[] KINDS = {
    "paced", "fixed-window", "sliding-counter", "sliding-log", "bucket-ring"
  };
  private static final int CASES = 5;
  private static final int STEPS = 24;

  private static final String HEADER =
      """
      # Leases of one key per case, fresh at its first line, under "limit" per "window_us". A ring has so
      # many sub_windows; longest_us is the longest life of any lease, which a paced limit has to know.
      # op: lease charges up to "requests" for now and, if all are granted, keeps up to "keep" for up to
      # life_us; refund gives back "requests" charged at charged_us, that were kept for life_us or, if it
      # is 0, granted at once, with the mark of that. Marks are -1 where there are none, and wrap at 2^40.
      # Of a refund, granted says whether anything came back. Costs are 1, times whole microseconds.
      case,kind,limit,window_us,sub_windows,longest_us,op,now_us,requests,keep,life_us,charged_us,mark,granted,kept,kept_life_us,granted_mark,kept_mark,remaining,reset_at_us,retry_after_us
      """;

  private final SplittableRandom random = new SplittableRandom(8);
  private final LeaseGrant grant = new LeaseGrant(1);
  private final long[] costs = {1};

  /** A refund: requests, when they were granted, for how long, and the mark. */
  private record Held(long requests, long atUs, long lifeUs, long mark) {}

  private static StoredBudget budget(
      String kind, long limit, long windowUs, int subWindows, long longestUs) {
    return switch (kind) {
      case "paced" -> new PacedBudget(limit, 1, windowUs / limit, longestUs);
      case "fixed-window" -> new WindowBudget(limit, windowUs, 0);
      case "sliding-counter" -> new CounterBudget(limit, windowUs);
      case "sliding-log" -> new LogBudget(limit, windowUs);
      default -> new RingBudget(limit, windowUs / subWindows, subWindows);
    };
  }

  private void trace(int number, String kind, List<String> rows) {
    final long limit = 4L + random.nextInt(60);
    final int subWindows = kind.equals("bucket-ring") ? 10 : 1;
    final long windowUs = limit * subWindows * (1_000 + random.nextInt(100_000));
    final long longestUs = Math.min(windowUs / 10, LeaseLife.LONGEST_US);
    final StoredBudgets budgets =
        new StoredBudgets(budget(kind, limit, windowUs, subWindows, longestUs));
    final String limits =
        String.join(
            ",",
            Integer.toString(number),
            kind,
            Long.toString(limit),
            Long.toString(windowUs),
            Integer.toString(subWindows),
            Long.toString(longestUs));
    final List<Held> held = new ArrayList<>();
    long nowUs = 1_700_000_000_000_000L + random.nextInt(1_000_000);
    for (int step = 0; step < STEPS; step++) {
      nowUs += random.nextInt(3) == 0 ? 0 : random.nextLong(windowUs / 8);
      if (held.isEmpty() || random.nextInt(3) > 0) {
        final long requests = random.nextLong(random.nextInt(4) == 0 ? limit + 2 : 3);
        final long keep = random.nextInt(12);
        budgets.lease(requests, keep, longestUs, costs, nowUs, grant);
        rows.add(
            limits
                + row("lease", nowUs, requests, keep, longestUs, 0, -1)
                + row(grant.granted(), grant.kept(), grant.lifeUs())
                + row(grant.grantedMark(0), grant.keptMark(0))
                + row(grant.remaining(), grant.resetAtUs(), grant.retryAfterUs()));
        if (grant.granted() > 0) {
          held.add(new Held(grant.granted(), nowUs, 0, grant.grantedMark(0)));
        }
        if (grant.kept() > 0) {
          held.add(new Held(grant.kept(), nowUs, grant.lifeUs(), grant.keptMark(0)));
        }
      } else {
        final Held any = held.remove(random.nextInt(held.size()));
        final boolean isAny =
            budgets.giveBack(
                any.requests, any.atUs, any.lifeUs, costs, new long[] {any.mark}, nowUs);
        rows.add(
            limits
                + row("refund", nowUs, any.requests, 0, any.lifeUs, any.atUs, any.mark)
                + row(isAny ? 1 : 0)
                + ",,,,,,,");
      }
    }
  }

  private static String row(String op, long... numbers) {
    return "," + op + row(numbers);
  }

  private static String row(long... numbers) {
    final StringBuilder text = new StringBuilder();
    for (long number : numbers) {
      text.append(',').append(number);
    }
    return text.toString();
  }

  @Test
  void decidesWhatIsWrittenDown() throws IOException {
    final List<String> rows = new ArrayList<>();
    int number = 0;
    for (String kind : KINDS) {
      for (int i = 0; i < CASES; i++) {
        trace(++number, kind, rows);
      }
    }
    final String text = HEADER + String.join("\n", rows) + "\n";
    if ("write".equals(System.getProperty("weir.vectors"))) {
      Files.writeString(FILE, text);
    }
    assertEquals(Files.readString(FILE), text);
  }
}

package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Decisions as a table, for implementations in other languages to replay. The files in {@code
 * src/test/resources/vectors} are what this test works out; {@code -Dweir.vectors=write} writes
 * them anew.
 */
class VectorsTest {
  private static final Path DIRECTORY = Path.of("src/test/resources/vectors");
  private static final int RANDOM_CASES = 8;
  private static final int RANDOM_STEPS = 40;
  private static final long SECOND_US = 1_000_000;

  private static final String HEADER =
      """
      # One key per case, fresh at its first line. Times are whole microseconds on one clock, which may
      # step back; waits are rounded up. What an operation leaves empty does not apply to it.
      # op: check and grant (up to so many units) charge, peek does not, reset forgets the key,
      # refund gives back units charged at charged_us, limit changes the limit to the one in its line.
      # retry_after_us: -1 where no wait helps. After refund, reset and limit the rest is what a peek
      # of one unit says. p1 to p4: %s.
      case,p1,p2,p3,p4,op,now_us,units,charged_us,allowed,granted,remaining,current,reset_at_us,retry_after_us,wait_us
      """;

  /** One algorithm: its parameters, and what they make. */
  private enum Algorithm {
    GCRA("limit, window_us, burst") {
      @Override
      void make(Case made, long limit, SplittableRandom random) {
        final long windowUs = limit * (1 + random.nextInt(2_000_000));
        made.paced(List.of(limit, windowUs, limit), limit, limit, windowUs);
        made.limit = Limit.gcra(limit, windowUs * 1_000, limit);
      }
    },
    TOKEN_BUCKET("capacity, refill_tokens, refill_period_us") {
      @Override
      void make(Case made, long limit, SplittableRandom random) {
        final long refill = 1 + random.nextInt(5);
        final long periodUs = refill * (1 + random.nextInt(2_000_000));
        made.paced(List.of(limit, refill, periodUs), limit, refill, periodUs);
        made.limit = Limit.tokenBucket(limit, refill, periodUs * 1_000);
      }
    },
    LEAKY_BUCKET("capacity, leak_units, leak_period_us") {
      @Override
      void make(Case made, long limit, SplittableRandom random) {
        final long leak = 1 + random.nextInt(5);
        final long periodUs = leak * (1 + random.nextInt(2_000_000));
        made.paced(List.of(limit, leak, periodUs), limit, leak, periodUs);
        made.limit = Limit.leakyBucket(limit, leak, periodUs * 1_000);
      }
    },
    LEAKY_BUCKET_QUEUE("capacity, leak_units, leak_period_us, max_wait_us") {
      @Override
      void make(Case made, long limit, SplittableRandom random) {
        final long leak = 1 + random.nextInt(5);
        final long periodUs = leak * (1 + random.nextInt(2_000_000));
        final long maxWaitUs = random.nextLong(limit * periodUs / leak + 1);
        made.parameters = List.of(limit, leak, periodUs, maxWaitUs);
        made.model = ModelBudget.queue(leak, periodUs * 1_000, limit, maxWaitUs * 1_000);
        made.limit = Limit.leakyBucketQueue(limit, leak, periodUs * 1_000, maxWaitUs * 1_000);
      }
    },
    FIXED_WINDOW("limit, window_us, epoch_us (where a window starts)") {
      @Override
      void make(Case made, long limit, SplittableRandom random) {
        final long windowUs = windowUs(random);
        final long epochUs = random.nextBoolean() ? 0 : random.nextLong(-1L << 40, 1L << 40);
        made.parameters = List.of(limit, windowUs, epochUs);
        made.model =
            new ModelFixedWindow(limit, ModelWindows.Even.from(windowUs * 1_000, epochUs * 1_000));
        made.limit = Limit.fixedWindow(limit, windowUs * 1_000, epochUs * 1_000);
      }
    },
    SLIDING_COUNTER("limit, window_us") {
      @Override
      void make(Case made, long limit, SplittableRandom random) {
        final long windowUs = windowUs(random);
        made.parameters = List.of(limit, windowUs);
        made.model = new ModelSlidingCounter(limit, windowUs * 1_000);
        made.limit = Limit.slidingCounter(limit, windowUs * 1_000);
      }
    },
    SLIDING_LOG("limit, window_us") {
      @Override
      void make(Case made, long limit, SplittableRandom random) {
        final long windowUs = windowUs(random);
        made.parameters = List.of(limit, windowUs);
        made.model = new ModelSlidingLog(limit, windowUs * 1_000, CELLS);
        made.limit = Limit.slidingLog(limit, windowUs * 1_000);
      }
    },
    BUCKET_RING("limit, window_us, sub_windows") {
      @Override
      void make(Case made, long limit, SplittableRandom random) {
        final int subWindows = 2 + random.nextInt(9);
        final long windowUs = windowUs(random) * subWindows;
        made.parameters = List.of(limit, windowUs, (long) subWindows);
        made.model = new ModelBucketRing(limit, windowUs * 1_000, subWindows);
        made.limit = Limit.bucketRing(limit, windowUs * 1_000, subWindows);
      }
    };

    private static final int CELLS = 64;

    private final String parameters;

    Algorithm(String parameters) {
      this.parameters = parameters;
    }

    abstract void make(Case made, long limit, SplittableRandom random);

    private static long windowUs(SplittableRandom random) {
      return random.nextBoolean() ? SECOND_US : 1_000 + random.nextLong(100 * SECOND_US);
    }

    String fileName() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-') + ".csv";
    }
  }

  /** A key with its limit, in the table and as a model; and the lines so far. */
  private static final class Case {
    private final LimitTable table = new LimitTable(64, Algorithm.CELLS);
    private final Decision out = new Decision();
    private final List<String> lines;
    private final int number;
    private List<Long> parameters;
    private Limit limit;
    private Model model;
    private long chargedUs;
    private long chargedUnits;
    private boolean refunded;

    Case(int number, List<String> lines) {
      this.number = number;
      this.lines = lines;
    }

    void paced(List<Long> parameters, long capacity, long units, long periodUs) {
      this.parameters = parameters;
      this.model = ModelBudget.meter(units, periodUs * 1_000, capacity, 1);
    }

    void check(long cost, long nowUs) {
      final boolean passes = model.passes(cost, nowUs * 1_000);
      final long waitNs = model.waitNs(nowUs * 1_000);
      assertEquals(passes, table.check(1, limit, cost, nowUs * 1_000, out));
      charge(passes ? cost : 0, waitNs, nowUs);
      line("check", cost, nowUs, "");
    }

    void grant(long wanted, long nowUs) {
      final long granted = Math.min(wanted, model.available(nowUs * 1_000));
      final long waitNs = model.waitNs(nowUs * 1_000);
      assertEquals(granted, Grants.upTo(table, 1, limit, wanted, nowUs * 1_000, out));
      charge(granted, waitNs, nowUs);
      line("grant", wanted, nowUs, "");
    }

    private void charge(long units, long waitNs, long nowUs) {
      if (units > 0) {
        model.charge(units, nowUs * 1_000);
        assertEquals(waitNs, out.waitNs());
        chargedUs = nowUs;
        chargedUnits = units;
      }
    }

    void peek(String op, long units, long nowUs) {
      assertEquals(
          model.passes(units, nowUs * 1_000), table.peek(1, limit, units, nowUs * 1_000, out));
      line(op, units, nowUs, "");
    }

    void reset(long nowUs) {
      table.reset(1, nowUs * 1_000);
      model.reset();
      peek("reset", 1, nowUs);
    }

    void refund(long nowUs) {
      if (chargedUnits > 0) {
        refund(chargedUnits, chargedUs, nowUs);
        chargedUnits = 0;
        refunded = true;
      }
    }

    void refund(long units, long chargedUs, long nowUs) {
      table.refund(1, limit, units, chargedUs * 1_000, nowUs * 1_000);
      model.refund(units, chargedUs * 1_000, nowUs * 1_000);
      table.peek(1, limit, 1, nowUs * 1_000, out);
      line("refund", units, nowUs, Long.toString(chargedUs));
    }

    void change(Algorithm to, long capacity, SplittableRandom random, long nowUs) {
      final Limit from = limit;
      final Model before = model;
      to.make(this, capacity, random);
      table.changeLimit(1, from, limit, nowUs * 1_000);
      model = before.changedTo(model, nowUs * 1_000);
      chargedUnits = 0;
      peek("limit", 1, nowUs);
    }

    private void line(String op, long units, long nowUs, String charged) {
      assertEquals(model.available(nowUs * 1_000), out.remaining());
      assertEquals(model.current(nowUs * 1_000), out.current());
      assertEquals(model.resetAtNs(nowUs * 1_000), out.resetAtNs());
      final StringBuilder line = new StringBuilder().append(number);
      for (int i = 0; i < 4; i++) {
        line.append(',').append(i < parameters.size() ? parameters.get(i) : "");
      }
      line.append(',').append(op).append(',').append(nowUs).append(',').append(units);
      line.append(',').append(charged).append(',').append(out.allowed() ? 1 : 0);
      line.append(',').append(out.granted()).append(',').append(out.remaining());
      line.append(',').append(out.current()).append(',').append(ceilUs(out.resetAtNs()));
      line.append(',').append(ceilUs(out.retryAfterNs())).append(',').append(ceilUs(out.waitNs()));
      lines.add(line.toString());
    }

    private static long ceilUs(long ns) {
      return ns == Decision.NEVER ? -1 : (ns + 999) / 1_000;
    }
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void theVectorsAreWhatModelAndTableDecide(Algorithm algorithm) throws IOException {
    final Path file = DIRECTORY.resolve(algorithm.fileName());
    final String vectors = vectors(algorithm);
    if ("write".equals(System.getProperty("weir.vectors"))) {
      Files.createDirectories(DIRECTORY);
      Files.writeString(file, vectors);
    }
    assertEquals(Files.readString(file), vectors);
  }

  private static String vectors(Algorithm algorithm) {
    final SplittableRandom random = new SplittableRandom(algorithm.ordinal());
    final List<String> lines = new ArrayList<>();
    edges(new Case(1, lines), algorithm, random);
    for (int number = 2; number < 2 + RANDOM_CASES; number++) {
      final Case any = new Case(number, lines);
      algorithm.make(any, 1 + random.nextInt(40), random);
      long latestUs = 1 + random.nextLong(1L << random.nextInt(4, 48));
      for (int step = 0; step < RANDOM_STEPS; step++) {
        latestUs = advance(latestUs, any.model, random);
        final long backUs =
            random.nextInt(10) == 0 && !any.refunded ? random.nextLong(SECOND_US) : 0;
        step(any, algorithm, Math.max(latestUs - backUs, 1), latestUs, random);
      }
      any.table.close();
    }
    lateRefunds(new Case(2 + RANDOM_CASES, lines), algorithm, random);
    if (algorithm == Algorithm.LEAKY_BUCKET_QUEUE) {
      waits(new Case(3 + RANDOM_CASES, lines));
    }
    return HEADER.formatted(algorithm.parameters) + String.join("\n", lines) + "\n";
  }

  /**
   * To the limit and one beyond, a microsecond before the wait is over and at its end, and so on.
   */
  private static void edges(Case edges, Algorithm algorithm, SplittableRandom random) {
    algorithm.make(edges, 3, random);
    long nowUs = 1_000 * SECOND_US;
    for (int i = 0; i < 4; i++) {
      edges.check(1, nowUs);
    }
    long waitUs = Case.ceilUs(edges.out.retryAfterNs());
    edges.check(1, nowUs + waitUs - 1);
    edges.check(1, nowUs + waitUs);
    nowUs += waitUs;
    edges.peek("peek", 3, nowUs);
    edges.check(4, nowUs);
    edges.grant(5, nowUs);
    edges.check(1, nowUs - SECOND_US / 2);
    edges.reset(nowUs);
    nowUs += 2 * SECOND_US;
    edges.check(2, nowUs);
    edges.check(2, nowUs);
    waitUs = Case.ceilUs(edges.out.retryAfterNs());
    edges.peek("peek", 2, nowUs + waitUs - 1);
    edges.check(2, nowUs + waitUs);
    edges.refund(nowUs + waitUs);
    edges.change(algorithm, 5, random, nowUs + waitUs);
    edges.grant(9, nowUs + waitUs);
    edges.table.close();
  }

  /** Time has given a part back, and it has been granted again, before the first charge returns. */
  private static void lateRefunds(Case late, Algorithm algorithm, SplittableRandom random) {
    algorithm.make(late, 20, random);
    final long startUs = 1_000 * SECOND_US;
    late.grant(20, startUs);
    final long wholeUs = Case.ceilUs(late.out.resetAtNs()) - startUs;
    final long nowUs = startUs + wholeUs / 3;
    late.grant(20, nowUs);
    final long units = late.chargedUs == nowUs ? late.chargedUnits : 0;
    late.refund(20, startUs, nowUs);
    late.grant(20, nowUs);
    if (units > 0) {
      late.refund(units, nowUs, nowUs + wholeUs / 40);
    }
    late.refund(20, startUs, startUs + wholeUs);
    late.grant(20, nowUs + wholeUs);
    late.table.close();
  }

  /** To the longest wait, and one microsecond beyond. */
  private static void waits(Case queue) {
    queue.parameters = List.of(9L, 1L, SECOND_US, 2 * SECOND_US);
    queue.model = ModelBudget.queue(1, SECOND_US * 1_000, 9, 2 * SECOND_US * 1_000);
    queue.limit = Limit.leakyBucketQueue(9, 1, SECOND_US * 1_000, 2 * SECOND_US * 1_000);
    final long nowUs = 5 * SECOND_US;
    for (int i = 0; i < 4; i++) {
      queue.check(1, nowUs);
    }
    queue.check(1, nowUs + SECOND_US - 1);
    queue.check(3, nowUs + SECOND_US);
    queue.grant(5, nowUs + 4 * SECOND_US - 1);
    queue.grant(5, nowUs + 4 * SECOND_US);
    queue.check(1, nowUs);
    queue.table.close();
  }

  private static void step(
      Case any, Algorithm algorithm, long nowUs, long latestUs, SplittableRandom random) {
    final long cost = 1 + random.nextLong(any.limit.capacity() + (random.nextInt(8) == 0 ? 2 : 0));
    final long small = 1 + random.nextLong(Math.min(any.limit.capacity(), 3));
    switch (random.nextInt(20)) {
      case 0 -> any.reset(latestUs);
      case 1 -> any.change(algorithm, 1 + random.nextInt(40), random, latestUs);
      case 2 -> any.refund(latestUs);
      case 3, 4 -> any.peek("peek", cost, nowUs);
      case 5, 6, 7, 8 -> any.grant(cost, nowUs);
      case 9, 10, 11 -> any.check(cost, nowUs);
      default -> any.check(small, nowUs);
    }
  }

  private static long advance(long nowUs, Model model, SplittableRandom random) {
    final long edgeUs = model.edgeNs(nowUs * 1_000) / 1_000;
    return switch (random.nextInt(6)) {
      case 0, 1 -> nowUs;
      case 2 -> Math.max(edgeUs - 1 + random.nextInt(3), nowUs);
      case 3 -> nowUs + random.nextLong(Math.max(edgeUs - nowUs, 1));
      case 4 -> nowUs + random.nextLong(3);
      default ->
          nowUs + random.nextLong(Math.max(model.resetAtNs(nowUs * 1_000) / 1_000 - nowUs, 1));
    };
  }
}

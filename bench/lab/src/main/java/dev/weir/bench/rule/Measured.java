package dev.weir.bench.rule;

import dev.weir.bench.rounds.Rounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * One benchmark with its parameters: a row of the report.
 *
 * @param kind null for tokens.
 * @param count of rules or tokens.
 */
record Measured(Part part, RuleKind kind, int count) {
  private static final int MANY = 10_000;

  /** The number of rules that requests go to in turn, also of 10,000. */
  static final int FEW = RuleBench.REQUESTS;

  /** A table of the report, and its benchmark. */
  enum Part {
    MATCH(RuleBench.class, "match", "rules"),
    DECIDE(RuleBench.class, "decide", "rules"),
    TOKEN(TokenBench.class, "remembered", "tokens"),
    LOAD(LoadBench.class, "load", "rules");

    private final String include;
    private final String counted;

    Part(Class<?> bench, String method, String counted) {
      include = bench.getName() + "." + method + "$";
      this.counted = counted;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One result.
   *
   * @param score in the unit of the benchmark.
   * @param bytes that an operation allocates.
   */
  record Score(double score, double bytes) {}

  /** All rows, in the order in which they take turns. */
  static List<Measured> all() {
    final List<Measured> all = new ArrayList<>();
    for (Part part : List.of(Part.MATCH, Part.DECIDE)) {
      for (RuleKind kind : RuleKind.values()) {
        all.add(new Measured(part, kind, 1));
        if (kind != RuleKind.ALL) {
          all.add(new Measured(part, kind, FEW));
          all.add(new Measured(part, kind, MANY));
        }
      }
    }
    all.add(new Measured(Part.TOKEN, null, 1));
    all.add(new Measured(Part.TOKEN, null, 1_000));
    all.add(new Measured(Part.LOAD, RuleKind.PATH, 1));
    for (RuleKind kind : List.of(RuleKind.PATH, RuleKind.HOST, RuleKind.VALUE)) {
      all.add(new Measured(Part.LOAD, kind, MANY));
    }
    return all;
  }

  /** The name of the row: its kind and how many. */
  String name() {
    return name(kind, count);
  }

  static String name(RuleKind kind, int count) {
    return (kind == null ? "" : kind.name().toLowerCase(Locale.ROOT) + ", ") + count;
  }

  /**
   * Runs the benchmark once.
   *
   * @param rounds whose seconds and warm-up are those of one run.
   * @param forks 1 for a JVM of its own; 0, for tests, for this one.
   */
  Score run(Rounds rounds, int forks) throws RunnerException {
    final ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(part.include)
            .param(part.counted, Integer.toString(count))
            .forks(forks)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .addProfiler(GCProfiler.class);
    if (kind != null) {
      options.param("kind", kind.name());
    }
    if (part != Part.LOAD) {
      options
          .warmupIterations(1)
          .warmupTime(milliseconds(rounds.warmUpSeconds()))
          .measurementIterations(1)
          .measurementTime(milliseconds(rounds.seconds()));
    }
    final RunResult result = new Runner(options.build()).runSingle();
    return new Score(
        result.getPrimaryResult().getScore(),
        result.getSecondaryResults().get("gc.alloc.rate.norm").getScore());
  }

  private static TimeValue milliseconds(double seconds) {
    return TimeValue.milliseconds(Math.max(1, Math.round(seconds * 1000)));
  }
}

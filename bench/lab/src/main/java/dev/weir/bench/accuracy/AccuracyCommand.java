package dev.weir.bench.accuracy;

import dev.weir.bench.rounds.ReportOptions;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir bench accuracy}: measures, and prints the report. */
@Command(
    name = "accuracy",
    description = "How often does each algorithm decide otherwise than an exact log?",
    footer = {"", "Prints the report; progress goes to standard error. Takes about a minute."})
public final class AccuracyCommand implements Callable<Integer> {
  @Mixin private ReportOptions report;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The same seed gives the same figures (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Per cell of a table (default: ${DEFAULT-VALUE}).")
  private int requests;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Of Zipf traffic (default: ${DEFAULT-VALUE}).")
  private int keys;

  @Option(
      names = "--exponent",
      paramLabel = "S",
      defaultValue = "1.0",
      description = "Of Zipf traffic (default: ${DEFAULT-VALUE}).")
  private double exponent;

  @Override
  public Integer call() throws IOException {
    report.check();
    report.expectBetween("--requests", requests, Settings.MIN_REQUESTS, Settings.MAX_REQUESTS);
    report.expectBetween("--keys", keys, Settings.MIN_KEYS, Settings.MAX_KEYS);
    // Written so that NaN fails.
    report.expect(
        "--exponent",
        exponent,
        exponent >= 0 && exponent <= Settings.MAX_EXPONENT,
        "from 0 to " + Settings.MAX_EXPONENT);
    final Settings settings = new Settings(seed, requests, new Settings.Population(keys, exponent));
    final Results results = new Measurement(settings, report::progress).run();
    report.print(new Report(results, report.command()).markdown());
    return 0;
  }
}

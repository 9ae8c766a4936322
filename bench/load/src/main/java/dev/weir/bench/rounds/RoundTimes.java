package dev.weir.bench.rounds;

import dev.weir.bench.process.Cores;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** How long commands measure, and warm up before; the defaults are each command's own. */
public final class RoundTimes {
  private static final double MIN_SECONDS = 0.1;
  private static final double MAX_SECONDS = 60;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Of each measurement (default: ${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--warm-up",
      paramLabel = "TIME",
      description = {
        "Of each server, before what it is measured at (default: ${DEFAULT-VALUE}).",
        "A JVM on one core compiles for most of 20 s."
      })
  private String warmUp;

  private long warmUpNs;

  /**
   * Flags with defaults.
   *
   * @param warmUp a duration such as {@code 20s}.
   */
  public RoundTimes(double seconds, String warmUp) {
    this.seconds = seconds;
    this.warmUp = warmUp;
  }

  /**
   * Checks these flags, with the bounds that most commands have.
   *
   * @throws ParameterException that names the value and what was expected.
   */
  public void check(RoundOptions report) {
    check(report, MIN_SECONDS, MAX_SECONDS);
  }

  /**
   * Checks these flags.
   *
   * @throws ParameterException that names the value and what was expected.
   */
  public void check(RoundOptions report, double leastSeconds, double mostSeconds) {
    report.expectSeconds("--seconds", seconds, leastSeconds, mostSeconds);
    warmUpNs = report.warmUpNs("--warm-up", warmUp);
  }

  public double seconds() {
    return seconds;
  }

  /** The time of a warm-up; after a check. */
  public double warmUpSeconds() {
    return warmUpNs / 1e9;
  }

  /** All that a comparison takes of flags; after a check. */
  public Rounds rounds(RoundOptions report, Cores cores) {
    return new Rounds(report.rounds(), seconds, warmUpSeconds(), cores, report::progress);
  }

  /**
   * The times of a comparison, as a report says them.
   *
   * @param what is warmed up beside each server: a case, a call.
   */
  public String text(RoundOptions report, String what) {
    return "Medians of "
        + report.rounds()
        + " rounds of "
        + seconds
        + " s, after a warm-up of "
        + warmUp
        + " of each server and "
        + what;
  }
}

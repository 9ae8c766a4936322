package dev.weir.bench.rounds;

import dev.weir.bench.process.Cores;
import picocli.CommandLine.Option;

/**
 * Flags of the commands that say how long they measure, and warm up before; the defaults are each
 * command's own.
 */
public class RoundTimes extends RoundOptions {
  private final double leastSeconds;
  private final double mostSeconds;

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
   * @param seconds from 0.1 to 60.
   * @param warmUp a duration such as {@code 20s}.
   */
  public RoundTimes(double seconds, String warmUp) {
    this(seconds, warmUp, 0.1, 60);
  }

  public RoundTimes(double seconds, String warmUp, double leastSeconds, double mostSeconds) {
    this.seconds = seconds;
    this.warmUp = warmUp;
    this.leastSeconds = leastSeconds;
    this.mostSeconds = mostSeconds;
  }

  @Override
  public void check() {
    super.check();
    expectSeconds("--seconds", seconds, leastSeconds, mostSeconds);
    warmUpNs = warmUpNs("--warm-up", warmUp);
  }

  /** All that a comparison takes of these flags; after a check. */
  public final Rounds rounds(Cores cores) {
    return new Rounds(rounds(), seconds, warmUpNs / 1e9, cores, this::progress);
  }

  /**
   * The times of a comparison, as a report says them.
   *
   * @param what is warmed up beside each server: a case, a call.
   */
  public final String text(String what) {
    return "Medians of "
        + rounds()
        + " rounds of "
        + seconds
        + " s, after a warm-up of "
        + warmUp
        + " of each server and "
        + what;
  }
}

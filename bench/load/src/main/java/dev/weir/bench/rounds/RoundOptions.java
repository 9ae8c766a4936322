package dev.weir.bench.rounds;

import picocli.CommandLine.Option;

/** Flags of the commands that measure in rounds. */
public class RoundOptions extends ReportOptions {
  public static final int MAX_ROUNDS = 100;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Measurements of each, interleaved (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Override
  public void check() {
    expectBetween("--rounds", rounds, 1, MAX_ROUNDS);
    super.check();
  }

  public final int rounds() {
    return rounds;
  }
}

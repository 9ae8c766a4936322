package dev.weir.bench.accuracy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir bench accuracy}: measures, prints the report, and writes it to a folder. */
@Command(
    name = "accuracy",
    description = "How often does each algorithm decide otherwise than an exact log?",
    footer = {"", "Prints the report; progress goes to standard error. Takes about a minute."})
public final class AccuracyCommand implements Callable<Integer> {
  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "target/accuracy",
      description = "Where accuracy.md, .svg and .csv are written (default: ${DEFAULT-VALUE}).")
  private Path out;

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

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this and exits.")
  private boolean help;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    expect("--requests", requests, Settings.MIN_REQUESTS, Settings.MAX_REQUESTS);
    expect("--keys", keys, Settings.MIN_KEYS, Settings.MAX_KEYS);
    expect("--exponent", exponent, 0, Settings.MAX_EXPONENT);
    createOut();
    final Settings settings = new Settings(seed, requests, new Population(keys, exponent));
    final Results results =
        new Measurement(settings, step -> spec.commandLine().getErr().println(step)).run();
    final String report = new Report(results, Provenance.of(settings)).markdown();
    spec.commandLine().getOut().print(report);
    spec.commandLine().getOut().flush();
    Files.writeString(out.resolve("accuracy.md"), report);
    Files.writeString(out.resolve("accuracy.csv"), CsvFile.text(results));
    Files.writeString(out.resolve("accuracy.svg"), new Picture(results).svg());
    spec.commandLine().getErr().println("Written: accuracy.md, .svg and .csv in " + out);
    return 0;
  }

  private void createOut() {
    try {
      Files.createDirectories(out);
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), "--out: " + out + " (expected: a folder that can be written to)", e);
    }
    if (!Files.isWritable(out)) {
      throw new ParameterException(
          spec.commandLine(), "--out: " + out + " (expected: a folder that can be written to)");
    }
  }

  private void expect(String name, double value, double least, double most) {
    // Written so that NaN fails.
    if (!(value >= least && value <= most)) {
      throw new ParameterException(
          spec.commandLine(),
          name
              + ": "
              + (Double.isFinite(value) ? Numbers.plain(value) : value)
              + " (expected: from "
              + Numbers.plain(least)
              + " to "
              + Numbers.plain(most)
              + ")");
    }
  }
}

package dev.weir.bench.rounds;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.DurationText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Flags of every command that prints a report; says which flag is wrong, and what was expected. */
public class ReportOptions {
  private static final long MAX_WARM_UP_NS = 600_000_000_000L;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Where the report is written too, as Markdown.")
  private Path out;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this and exits.")
  private boolean help;

  @Spec(Target.MIXEE)
  private CommandSpec spec;

  /**
   * Checks these flags.
   *
   * @throws ParameterException that names the value and what was expected.
   */
  public void check() {
    expectFile("--out", out);
  }

  /** The command line that makes the report again: all flags that have a value. */
  public final String command() {
    final CommandSpec command = spec.commandLine().getCommandSpec();
    final StringBuilder text = new StringBuilder("./" + command.qualifiedName());
    for (OptionSpec option : command.options()) {
      final Object value = option.getValue();
      final boolean isSaid =
          value != null && !value.equals(false) && !value.equals(List.of()) && !option.usageHelp();
      if (isSaid) {
        text.append(' ').append(option.longestName());
        text.append(value.equals(true) ? "" : " " + text(option, value));
      }
    }
    return text.toString();
  }

  /** A value as it was given; of a place on this machine only what it is. */
  private static String text(OptionSpec option, Object value) {
    if (value instanceof Collection<?> several) {
      return several.stream().map(Object::toString).collect(Collectors.joining(","));
    }
    return value instanceof Path path && path.isAbsolute() ? option.paramLabel() : value.toString();
  }

  /** Prints the report, and writes it where that was asked for. */
  public void print(String report) throws IOException {
    spec.commandLine().getOut().print(report);
    spec.commandLine().getOut().flush();
    if (out != null) {
      Files.writeString(out, report);
    }
  }

  public void progress(String step) {
    spec.commandLine().getErr().println(step);
  }

  /**
   * Refuses a flag.
   *
   * @throws ParameterException unless it is right.
   */
  public void expect(String name, Object value, boolean right, String expected) {
    if (!right) {
      throw wrong(name, value, expected);
    }
  }

  public ParameterException wrong(String name, Object value, String expected) {
    return new ParameterException(
        spec.commandLine(), name + ": " + value + " (expected: " + expected + ")");
  }

  /** Refuses a flag unless each of its values is one of those known. */
  public void expectEach(String name, List<String> values, List<String> known) {
    expectEach(name, values, known::contains, "any of " + String.join(", ", known));
  }

  /** Refuses a flag unless each of its values is right. */
  public <T> void expectEach(
      String name, List<T> values, Predicate<? super T> right, String expected) {
    for (T value : values) {
      expect(name, value, right.test(value), expected);
    }
  }

  /** Refuses a file, if one is given, unless it can be written to. */
  public void expectFile(String name, Path file) {
    final Path folder = file == null ? null : file.toAbsolutePath().getParent();
    expect(
        name,
        file,
        file == null || (Files.isDirectory(folder) && !Files.isDirectory(file)),
        "a file in a folder that exists");
  }

  /** Refuses a number, if it is set, unless it is within bounds. */
  public void expectBetween(String name, Integer number, int least, int most) {
    expect(
        name,
        number,
        number == null || number >= least && number <= most,
        "from " + least + " to " + most);
  }

  /** Refuses the length of a measurement unless it is within bounds. */
  public void expectSeconds(String name, double seconds, double least, double most) {
    // Written so that NaN fails.
    expect(name, seconds, seconds >= least && seconds <= most, "from " + least + " to " + most);
  }

  /** Reads the length of a warm-up, of at most ten minutes. */
  public long warmUpNs(String name, String text) {
    final long warmUpNs = durationNs(name, text);
    expect(name, text, warmUpNs <= MAX_WARM_UP_NS, "at most 10m");
    return warmUpNs;
  }

  public long durationNs(String name, String text) {
    try {
      return DurationText.parseNs(text);
    } catch (BadValueException e) {
      throw wrong(name, text, e.expected());
    }
  }
}

package dev.weir.bench.load;

import dev.weir.bench.scenario.Secrets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A command line as a report shows it: to be pasted into a shell, but for what nobody should read
 * there.
 */
public final class CommandText {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=,@%+-]+");

  private CommandText() {}

  /** The arguments, quoted where a shell would take them apart. */
  public static String of(List<String> args) {
    return args.stream()
        .map(Secrets::hiddenInArgument)
        .map(CommandText::quoted)
        .collect(Collectors.joining(" "));
  }

  private static String quoted(String arg) {
    return PLAIN.matcher(arg).matches() ? arg : "'" + arg.replace("'", "'\\''") + "'";
  }
}

package dev.weir.bench.load;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A command line as a report shows it: to be pasted into a shell, but for what nobody should read
 * there. Reports are mailed and kept.
 */
final class CommandText {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=,@%+-]+");

  /** A header field that says who somebody is, as the text of a flag. */
  private static final Pattern SECRET =
      Pattern.compile(
          "(?is)((?:-H|--header)?=?[!#$%&'*+.^_`|~a-z0-9-]*"
              + "(?:authorization|cookie|token|secret|password|api-?key)"
              + "[!#$%&'*+.^_`|~a-z0-9-]*\\s*:\\s*)(.*)");

  private CommandText() {}

  /** The arguments, quoted where a shell would take them apart. */
  static String of(List<String> args) {
    return args.stream()
        .map(CommandText::shown)
        .map(CommandText::quoted)
        .collect(Collectors.joining(" "));
  }

  private static String shown(String arg) {
    final Matcher secret = SECRET.matcher(arg);
    return secret.matches() && !secret.group(2).equals("{key}") ? secret.group(1) + "..." : arg;
  }

  private static String quoted(String arg) {
    return PLAIN.matcher(arg).matches() ? arg : "'" + arg.replace("'", "'\\''") + "'";
  }
}

package dev.weir.bench.scenario;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Secrets that a report must not show: reports are mailed and kept. Known by name, so a body's or a
 * path's is not.
 */
public final class Secrets {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=,@%+-]+");
  private static final String NAMES = "(?:authorization|cookie|token|secret|password|api[-_]?key)";

  /** A header field as the text of a flag. */
  private static final Pattern FIELD =
      Pattern.compile(
          "(?is)^((?:-H|--header)?=?[!#$%&'*+.^_`|~a-z0-9-]*"
              + NAMES
              + "[!#$%&'*+.^_`|~a-z0-9-]*\\s*:\\s*+)(?!\\{key\\}$).*");

  private static final Pattern QUERY =
      Pattern.compile("(?i)([?&][^=&]*" + NAMES + "[^=&]*=)(?!\\{key\\}(?:&|$))[^&]*");

  private Secrets() {}

  /** A command's arguments as a report shows them: to be pasted into a shell, without secrets. */
  public static String hiddenInCommand(List<String> args) {
    return args.stream()
        .map(Secrets::hiddenInArgument)
        .map(arg -> PLAIN.matcher(arg).matches() ? arg : "'" + arg.replace("'", "'\\''") + "'")
        .collect(Collectors.joining(" "));
  }

  /** A command's argument without the value of a field or of a query's parameter. */
  private static String hiddenInArgument(String argument) {
    return hiddenInUrl(FIELD.matcher(argument).replaceFirst("$1..."));
  }

  /** A URL without the values of its query's parameters. */
  public static String hiddenInUrl(String url) {
    return QUERY.matcher(url).replaceAll("$1...");
  }
}

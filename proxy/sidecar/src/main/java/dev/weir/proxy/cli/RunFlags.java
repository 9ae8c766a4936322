package dev.weir.proxy.cli;

import dev.weir.proxy.control.SettingKind;
import dev.weir.proxy.control.SettingRow;
import dev.weir.proxy.control.SettingsFlags;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The flags of {@code weir run} that are settings, one for each row of the tables: as texts, so
 * that all of them are read, and all their faults told, by what reads a file's.
 */
public final class RunFlags {
  /** Stands for what is missing behind a flag. No flag takes it for a value, but for a file's. */
  private static final String NO_TEXT = "(nothing)";

  /**
   * The order of the help, by names or the sections of names. Whatever is not here comes after, and
   * within a section the order is that of the tables.
   */
  public static final List<String> ORDER =
      List.of(
          ("upstream limit burst key listen decision decision-tokens decision-tokens-for"
                  + " ratelimit-config ratelimit-merge-domains ratelimit-headers"
                  + " ratelimit-shadow-mode ratelimit-quota-mode tls admin admin-hosts admin-tokens monitoring"
                  + " match cost algorithm overflow max-wait align time-zone sub-window action"
                  + " on-missing-key dry-run enforce warn-at priority mode share on-store-failure idempotency"
                  + " service redis trusted-proxies client-ip-header ipv6-prefix paths event-loops"
                  + " transport latency-log latency-log-interval timeouts caps answers table")
              .split(" "));

  /** All that have a flag, in the order of the help. */
  public static final List<SettingRow<?>> ALL = inOrder();

  private RunFlags() {}

  private static List<SettingRow<?>> inOrder() {
    List<SettingRow<?>> rows = SettingsFlags.rows();
    rows.sort((a, b) -> Integer.compare(rank(a.name()), rank(b.name())));
    return List.copyOf(rows);
  }

  private static int rank(String name) {
    int dot = name.indexOf('.');
    int rank = ORDER.indexOf(dot < 0 ? name : name.substring(0, dot));
    return rank < 0 ? ORDER.size() : rank;
  }

  static void addTo(CommandSpec command) {
    for (SettingRow<?> row : ALL) {
      // Texts of any number, as what is missing or given twice is told with the other faults.
      command.addOption(
          OptionSpec.builder(row.flag())
              .type(List.class)
              .auxiliaryTypes(String.class)
              .arity("0..1")
              .fallbackValue(Objects.requireNonNullElse(row.kind().bareText(), NO_TEXT))
              .paramLabel(row.kind().label())
              .hideParamSyntax(true)
              .description(row.help().replace("%", "%%"))
              .build());
    }
  }

  /**
   * The flags that were given, in the order of the help.
   *
   * @param problems takes those given twice, where only one text is wanted.
   */
  public static Map<String, String> given(ParseResult parsed, List<String> problems) {
    Map<String, String> given = new LinkedHashMap<>();
    for (SettingRow<?> row : ALL) {
      String flag = row.flag();
      List<String> texts = parsed.matchedOptionValue(flag, List.of());
      if (texts.size() > 1 && !row.kind().isRepeatable()) {
        problems.add(flag + ": given " + texts.size() + " times (expected: once)");
      }
      if (row.kind() == SettingKind.FILE && texts.contains(NO_TEXT)) {
        problems.add(flag + ": " + NO_TEXT + " (expected: a file's path)");
      } else if (!texts.isEmpty()) {
        given.put(flag, row.kind().isRepeatable() ? String.join(",", texts) : texts.get(0));
      }
    }
    return given;
  }

  /** The known flag that an unknown one is nearest to; null if none is near. */
  public static String nearest(String unknown) {
    String name = unknown.replaceFirst("=.*", "");
    List<String> known =
        ALL.stream()
            .map(SettingRow::flag)
            .sorted()
            .collect(Collectors.toCollection(ArrayList::new));
    known.add("--config");
    known.add("--help");
    for (String candidate : known) {
      if (name.length() > 2 && candidate.endsWith("." + name.substring(2))) {
        return candidate;
      }
    }
    String best = Collections.min(known, Comparator.comparingInt(flag -> distance(name, flag)));
    return distance(name, best) <= name.length() / 3 ? best : null;
  }

  /** Levenshtein's distance between two flags. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}

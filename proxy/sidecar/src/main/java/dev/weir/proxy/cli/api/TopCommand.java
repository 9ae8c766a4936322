package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.web.TextTable;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir top}. */
@Command(
    name = "top",
    description = "Shows the keys about which a sidecar is asked most, or those that it refuses.",
    sortOptions = false)
public final class TopCommand extends ApiCommand {
  /** Moves the cursor home; the lines are written over, so that nothing flickers. */
  private static final String HOME = "\u001b[H";

  private static final String CLEAR_LINE = "\u001b[K\n";
  private static final String CLEAR_BELOW = "\u001b[J";
  private static final int LONGEST_WATCH_SECONDS = 3_600;

  @Option(
      names = "--by",
      paramLabel = "COUNT",
      defaultValue = "requests",
      description = "requests (default) or refused.")
  private String by;

  @Option(names = "--rule", paramLabel = "ID", description = "Only keys of a rule.")
  private String rule;

  @Option(
      names = "--most",
      paramLabel = "N",
      defaultValue = "20",
      description = "How many at most (default ${DEFAULT-VALUE}).")
  private int most;

  @Option(
      names = "--watch",
      paramLabel = "SECONDS",
      description = "Shows them again and again, until it is interrupted.")
  private Integer watchSeconds;

  @Override
  int run(Api api) throws ApiFault {
    if (watchSeconds == null) {
      print(ask(api), false);
      return ExitCode.OK;
    }
    if (watchSeconds < 1 || watchSeconds > LONGEST_WATCH_SECONDS) {
      throw new ApiFault(
          ExitCode.USAGE,
          "--watch: " + watchSeconds + " (expected: 1 to " + LONGEST_WATCH_SECONDS + ")");
    }
    boolean isTerminal = System.console() != null && !isJson();
    while (true) {
      print(ask(api), isTerminal);
      out().flush();
      Api.pause(watchSeconds);
    }
  }

  private Api.Reply ask(Api api) throws ApiFault {
    return api.get("/top").with("by", by).with("rule", rule).with("most", most).sendPatiently();
  }

  private void print(Api.Reply reply, boolean isTerminal) throws ApiFault {
    String text = isJson() ? reply.body().strip() + "\n" : text(reply.object());
    out().print(isTerminal ? HOME + text.replace("\n", CLEAR_LINE) + CLEAR_BELOW : text);
  }

  private static String text(Map<String, Object> answer) throws ApiFault {
    List<Map<?, ?>> keys = rows(answer, "keys");
    TextTable table = new TextTable(3, "rule", "key", "identity", "requests", "refused");
    for (Map<?, ?> key : keys) {
      table.row(
          List.of(
              JsonText.shown(key.get("rule")),
              JsonText.shown(key.get("key")),
              JsonText.shown(key.get("identity")),
              count(key, "requests"),
              count(key, "refused")));
    }
    return "Last %s s: %s requests counted, %s refused.\n"
            .formatted(answer.get("seconds"), answer.get("requests"), answer.get("refused"))
        + (keys.isEmpty() ? "none\n" : table);
  }

  /** A count, and how wrong it may be. */
  private static String count(Map<?, ?> key, String name) {
    String error = String.valueOf(key.get(name + "_error"));
    return key.get(name) + (error.equals("0") ? "" : " ±" + error);
  }
}

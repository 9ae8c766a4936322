package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir rules log}. */
@Command(name = "log", description = "Shows who changed which rule, the newest change first.")
final class RulesLog extends ApiCommand {
  @Option(
      names = "--most",
      paramLabel = "N",
      defaultValue = "20",
      description = "How many changes at most (default ${DEFAULT-VALUE}).")
  private int most;

  @Override
  int run(Api api) throws ApiFault {
    List<Map<?, ?>> entries = new ArrayList<>();
    AuditPages.ofRules(api)
        .forEach(
            entry -> {
              if (AuditRow.isOfRules(entry)) {
                entries.add(entry);
              }
              return entries.size() < most;
            });
    if (isJson()) {
      entries.forEach(entry -> out().println(JsonText.write(entry)));
    } else {
      table(entries.stream().map(AuditRow::of).toList());
    }
    return ExitCode.OK;
  }
}

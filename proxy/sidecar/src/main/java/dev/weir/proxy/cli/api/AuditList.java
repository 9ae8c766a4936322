package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir audit list}. */
@Command(name = "list", description = "Shows changes, the newest first.", sortOptions = false)
final class AuditList extends ApiCommand {
  @Mixin private AuditQueryOptions query;

  @Option(
      names = "--most",
      paramLabel = "N",
      defaultValue = "50",
      description = "How many at most (default ${DEFAULT-VALUE}).")
  private int most;

  @Override
  int run(Api api) throws ApiFault {
    List<Map<?, ?>> entries = new ArrayList<>();
    new AuditPages(api, query.parameters())
        .forEach(
            entry -> {
              entries.add(entry);
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

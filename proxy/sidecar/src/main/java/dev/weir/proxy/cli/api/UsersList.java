package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.JsonText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir users list}. */
@Command(name = "list", description = "Lists users of the directory, in no order.")
final class UsersList extends ApiCommand {
  @Option(names = "--tier", paramLabel = "NAME", description = "Only those of a tier.")
  private String tier;

  @Option(
      names = "--has",
      paramLabel = "PART",
      description = "Only those with an override, or with limits of their own.")
  private String has;

  @Option(
      names = "--most",
      paramLabel = "N",
      defaultValue = "100",
      description = "How many at most (default ${DEFAULT-VALUE}).")
  private int most;

  /** A user on one line. */
  private static Map<String, Object> row(Map<?, ?> user) {
    Map<?, ?> record = user.get("record") instanceof Map<?, ?> object ? object : Map.of();
    Map<?, ?> override = record.get("override") instanceof Map<?, ?> object ? object : Map.of();
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("user", user.get("id"));
    row.put("tier", record.get("tier"));
    row.put("limits", record.get("limits"));
    row.put("override until", override.get("until"));
    row.put("version", user.get("etag"));
    return row;
  }

  @Override
  int run(Api api) throws ApiFault {
    List<Map<?, ?>> users = new ArrayList<>();
    new UserPages(api, tier, has)
        .forEach(
            user -> {
              users.add(user);
              return users.size() < most;
            });
    if (isJson()) {
      users.forEach(user -> out().println(JsonText.write(user)));
    } else {
      table(users.stream().map(UsersList::row).toList());
    }
    return ExitCode.OK;
  }
}

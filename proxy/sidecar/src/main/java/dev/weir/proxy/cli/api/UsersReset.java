package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.JsonText;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir users reset}. */
@Command(
    name = "reset",
    description = "Gives a user all budgets back, as if nothing were used, and ends bans.")
final class UsersReset extends UserCommand {
  @Option(names = "--limit", paramLabel = "NAME", description = "Only that of one limit.")
  private String limit;

  @Option(names = "--reason", paramLabel = "TEXT", description = "For the audit.")
  private String reason;

  @Override
  int run(Api api) throws ApiFault {
    Map<String, String> what = limit == null ? Map.of() : Map.of("limit", limit);
    api.post(path() + "/reset").because(reason).json(JsonText.write(what)).send();
    return ExitCode.OK;
  }
}

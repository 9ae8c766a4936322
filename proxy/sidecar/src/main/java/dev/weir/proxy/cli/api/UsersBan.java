package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.JsonText;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir users ban}. */
@Command(
    name = "ban",
    description = "Refuses all requests of a user for a time, under the rules that have bans.")
final class UsersBan extends UserCommand {
  @Option(
      names = "--for",
      paramLabel = "TIME",
      required = true,
      description = "How long, such as 1h.")
  private String duration;

  @Option(names = "--reason", paramLabel = "TEXT", description = "For the audit.")
  private String reason;

  @Override
  int run(Api api) throws ApiFault {
    api.post(path() + "/ban").because(reason).json(JsonText.write(Map.of("for", duration))).send();
    return ExitCode.OK;
  }
}

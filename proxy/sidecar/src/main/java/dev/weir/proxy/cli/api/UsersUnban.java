package dev.weir.proxy.cli.api;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir users unban}. */
@Command(name = "unban", description = "Ends the bans of a user.")
final class UsersUnban extends UserCommand {
  @Option(names = "--reason", paramLabel = "TEXT", description = "For the audit.")
  private String reason;

  @Override
  int run(Api api) throws ApiFault {
    api.delete(path() + "/ban").because(reason).send();
    return ExitCode.OK;
  }
}

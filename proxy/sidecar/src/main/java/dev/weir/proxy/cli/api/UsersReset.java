package dev.weir.proxy.cli.api;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir users reset}. */
@Command(name = "reset", description = "Gives a user all budgets back, as if nothing were used.")
final class UsersReset extends UserCommand {
  @Option(names = "--reason", paramLabel = "TEXT", description = "For the audit.")
  private String reason;

  @Override
  int run(Api api) throws ApiFault {
    api.post(path() + "/reset").because(reason).send();
    return ExitCode.OK;
  }
}

package dev.weir.proxy.cli.api;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir users delete}. */
@Command(
    name = "delete",
    description = "Removes a user's record: what the rules say of everybody holds again.")
final class UsersDelete extends UserCommand {
  @Option(names = "--reason", paramLabel = "TEXT", description = "For the audit.")
  private String reason;

  @Override
  int run(Api api) throws ApiFault {
    String etag = api.get(path()).send().etag();
    api.delete(path()).expecting(etag).because(reason).send();
    return ExitCode.OK;
  }
}

package dev.weir.proxy.cli.api;

import picocli.CommandLine.Command;

/** {@code weir users get}. */
@Command(name = "get", description = "Shows what the directory keeps of a user.")
final class UsersGet extends UserCommand {
  @Override
  int run(Api api) throws ApiFault {
    printUser(api.get(path()).send());
    return ExitCode.OK;
  }
}

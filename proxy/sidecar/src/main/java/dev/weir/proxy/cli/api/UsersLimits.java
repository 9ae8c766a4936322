package dev.weir.proxy.cli.api;

import picocli.CommandLine.Command;

/** {@code weir users limits}. */
@Command(
    name = "limits",
    description = "Shows each limit of a user: how much, who says so, and what is left.")
final class UsersLimits extends UserCommand {
  @Override
  int run(Api api) throws ApiFault {
    print(api.get(path() + "/limits").send(), "limits");
    return ExitCode.OK;
  }
}

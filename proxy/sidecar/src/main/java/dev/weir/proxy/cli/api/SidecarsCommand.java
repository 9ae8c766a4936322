package dev.weir.proxy.cli.api;

import picocli.CommandLine.Command;

/** {@code weir sidecars}. */
@Command(
    name = "sidecars",
    description = "Shows the live sidecars of a fleet, and which version of the rules each uses.")
public final class SidecarsCommand extends ApiCommand {
  @Override
  int run(Api api) throws ApiFault {
    print(api.get("/sidecars").send(), "sidecars");
    return ExitCode.OK;
  }
}

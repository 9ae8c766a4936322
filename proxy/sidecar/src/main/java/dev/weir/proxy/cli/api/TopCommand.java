package dev.weir.proxy.cli.api;

import picocli.CommandLine.Command;

/** {@code weir top}. */
@Command(name = "top", description = "Shows who is limited the most at a sidecar.")
public final class TopCommand extends ApiCommand {
  @Override
  int run(Api api) throws ApiFault {
    print(api.get("/top").send(), "top");
    return ExitCode.OK;
  }
}

package dev.weir.proxy.cli.api;

import picocli.CommandLine.Command;

/** {@code weir what-if}. */
@Command(
    name = "what-if",
    description = "Asks a sidecar that runs how its candidate compares with the rules in use.")
public final class WhatIfCommand extends ApiCommand {
  @Override
  int run(Api api) throws ApiFault {
    String format = isJson() ? "json" : "text";
    out().print(api.get("/what-if").with("format", format).send().body());
    return ExitCode.OK;
  }
}

package dev.weir.proxy.cli;

import dev.weir.proxy.cli.api.AdminPort;
import dev.weir.proxy.control.AddressText;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.wiring.Program;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weir what-if}. */
@Command(
    name = "what-if",
    description = "Asks a sidecar that runs how its candidate compares with the rules in use.",
    mixinStandardHelpOptions = true,
    versionProvider = WeirCommand.Version.class)
public final class WhatIfCommand implements Callable<Integer> {
  private static final int HTTP_OK = 200;

  @Spec private CommandSpec spec;

  @Option(
      names = "--admin",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1:9090",
      description = "Its admin port (default ${DEFAULT-VALUE}).")
  private String admin;

  @Option(
      names = "--output",
      paramLabel = "FORM",
      defaultValue = "text",
      description = "text (default) or json.")
  private String output;

  @Override
  public Integer call() {
    try {
      AdminPort.Answer answer =
          new AdminPort(AddressText.parseServer(admin))
              .get("/what-if", new AdminPort.Parameters().add("format", output));
      if (answer.status() == HTTP_OK) {
        spec.commandLine().getOut().print(answer.body());
        spec.commandLine().getOut().flush();
        return Program.OK;
      }
      return wrong(answer.body().strip());
    } catch (IOException nobody) {
      return wrong(nobody.getMessage());
    } catch (BadValueException bad) {
      return wrong("--admin: " + bad.value() + " (expected: " + bad.expected() + ")");
    }
  }

  private int wrong(String fault) {
    spec.commandLine().getErr().println(fault);
    Program.pointToHelp(spec.commandLine().getErr(), spec.qualifiedName());
    return Program.WRONG;
  }
}

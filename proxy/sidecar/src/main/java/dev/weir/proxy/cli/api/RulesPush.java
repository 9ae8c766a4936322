package dev.weir.proxy.cli.api;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir rules push}. */
@Command(
    name = "push",
    description = {
      "Puts the rules of a file in the store, all of them as one version.",
      "All sidecars of the service use them; the rules of their files do not count any more."
    },
    sortOptions = false)
final class RulesPush extends ApiCommand {
  @Parameters(paramLabel = "FILE", description = "Rules in YAML, such as a settings file.")
  private Path file;

  @Option(
      names = "--version",
      paramLabel = "VERSION",
      description = "Only if this version is in use, as diff told it.")
  private String version;

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      description =
          "Wait until all live sidecars use it, such as 5s; at most 10s. Exit code 6: not all do.")
  private String wait;

  @Option(names = "--reason", paramLabel = "TEXT", description = "For the audit.")
  private String reason;

  @Override
  int run(Api api) throws ApiFault {
    String document = RulesDocument.ofFile(file);
    String expected = version == null ? api.get("/rules").send().etag() : version;
    return RuleChanges.print(
        this,
        api.put("/rules")
            .with("wait", wait)
            .expecting(expected)
            .because(reason)
            .json(document)
            .send());
  }
}

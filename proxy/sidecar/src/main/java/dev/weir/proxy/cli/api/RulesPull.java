package dev.weir.proxy.cli.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir rules pull}. */
@Command(
    name = "pull",
    description = "Writes the set of rules in use as one document of JSON, which push reads.")
final class RulesPull extends ApiCommand {
  @Option(
      names = {"-o", "--file"},
      paramLabel = "FILE",
      description = "By default standard output.")
  private Path file;

  @Override
  int run(Api api) throws ApiFault {
    Api.Reply reply = api.get("/rules").send();
    String document = reply.body().strip() + "\n";
    if (file == null) {
      out().print(document);
    } else {
      try {
        Files.writeString(file, document);
      } catch (IOException e) {
        throw new ApiFault(ExitCode.USAGE, file + ": " + e.getMessage());
      }
    }
    err().println("version " + reply.etag());
    return ExitCode.OK;
  }
}

package dev.weir.proxy.cli.api;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code weir rules diff}. */
@Command(
    name = "diff",
    description = {
      "Shows what pushing a file would change, and its faults. Changes nothing.",
      "Exit code: 0 no difference, 1 a difference or a fault."
    })
final class RulesDiff extends ApiCommand {
  @Parameters(paramLabel = "FILE", description = "Rules in YAML, such as a settings file.")
  private Path file;

  @Override
  int run(Api api) throws ApiFault {
    String document = RulesDocument.ofFile(file);
    Api.Reply present = api.get("/rules").send();
    Api.Reply reply =
        api.put("/rules").with("dry-run", "true").expecting(present.etag()).json(document).send();
    RuleChanges changes = RuleChanges.of(reply);
    if (isJson()) {
      out().println(reply.body().strip());
    } else {
      changes.warnings().forEach(warning -> err().println(warning));
      out().print(changes.text());
      err().println("compared with version " + present.etag());
    }
    return changes.isNone() ? ExitCode.OK : ExitCode.FAULT;
  }
}

package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordJson;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir audit export}. */
@Command(
    name = "export",
    description = "Writes all entries asked for as lines of JSON (NDJSON), the newest first.",
    sortOptions = false)
final class AuditExport extends ApiCommand {
  @Mixin private AuditQueryOptions query;

  @Override
  int run(Api api) throws ApiFault {
    new AuditPages(api, query.parameters())
        .forEach(
            entry -> {
              // The form in which the entry was written, and of which the next one has the hash.
              out().print(RecordJson.compact(JsonText.write(entry)) + '\n');
              return !out().checkError();
            });
    return ExitCode.OK;
  }
}

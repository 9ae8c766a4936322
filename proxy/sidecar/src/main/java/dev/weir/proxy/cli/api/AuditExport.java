package dev.weir.proxy.cli.api;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir audit export}. */
@Command(
    name = "export",
    description = {
      "Writes all entries asked for as lines of JSON (NDJSON), the newest first.",
      "For admins."
    },
    sortOptions = false)
final class AuditExport extends ApiCommand {
  @Mixin private AuditQueryOptions query;

  @Override
  int run(Api api) throws ApiFault {
    String after = null;
    do {
      Api.Call call = api.get("/audit:export").with("after", after);
      query.parameters().forEach(call::with);
      Api.Reply reply = call.sendPatiently();
      out().print(reply.body());
      after = reply.next();
    } while (after != null && !out().checkError());
    return ExitCode.OK;
  }
}

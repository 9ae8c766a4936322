package dev.weir.proxy.cli.api;

import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** The flags that say which entries of the audit are asked for. */
final class AuditQueryOptions {
  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "The earliest, such as 2026-11-24T18:00:00Z.")
  private String from;

  @Option(names = "--to", paramLabel = "TIME", description = "Before this time.")
  private String to;

  @Option(names = "--author", paramLabel = "NAME", description = "Changes by a token's owner.")
  private String author;

  @Option(names = "--object", paramLabel = "ID", description = "Changes of a rule, part or user.")
  private String object;

  /** The options as parameters of the API. */
  Map<String, String> parameters() {
    Map<String, String> parameters = new HashMap<>();
    parameters.put("from", from);
    parameters.put("to", to);
    parameters.put("author", author);
    parameters.put("object", object);
    return parameters;
  }
}

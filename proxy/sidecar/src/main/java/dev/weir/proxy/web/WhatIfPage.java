package dev.weir.proxy.web;

import dev.weir.proxy.metrics.WhatIfCounts.Outcome;
import dev.weir.proxy.metrics.WhatIfReport;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * How a candidate for the rules compares with those in use, as a table and as JSON. Its texts are
 * ids of rules and identities as the store has them: neither needs to be escaped.
 */
public final class WhatIfPage {
  private static final String NONE = "-";

  private static final Page NO_SUCH_FORMAT =
      Page.problem(HttpResponseStatus.BAD_REQUEST, "The format is one of text, json.");

  private WhatIfPage() {}

  /**
   * Its row in the table of routes.
   *
   * @param report for a caller, null if none had to say who it is; asked for each time, by the
   *     server's thread.
   */
  public static Route route(Function<Caller, WhatIfReport> report) {
    return Route.page(
        "/what-if",
        Route.Access.ADMIN,
        request -> page(request.parameter("format", "text"), () -> report.apply(request.caller())));
  }

  private static Page page(String format, Supplier<WhatIfReport> report) {
    return switch (format) {
      case "text" -> Page.text(HttpResponseStatus.OK, text(report.get()));
      case "json" -> Page.json(json(report.get()));
      default -> NO_SUCH_FORMAT;
    };
  }

  /** A table of rules, and one of identities. */
  public static String text(WhatIfReport report) {
    StringBuilder text = new StringBuilder();
    if (report.since() == null) {
      return text.append("No candidate: its file has faults, which the log tells.\n").toString();
    }
    text.append("Since ").append(report.since()).append(", ").append(report.sample());
    text.append(" of the identities.");
    if (!report.isLatest()) {
      text.append(" The file has faults now, which the log tells: this is an earlier candidate.");
    }
    text.append("\n\n");
    TextTable rules =
        new TextTable(
            2, "rule now", "rule then", "both pass", "both refuse", "only now", "only then");
    TextTable identities =
        new TextTable(3, "rule now", "rule then", "identity", "only now", "only then");
    for (WhatIfReport.Row row : report.rows()) {
      List<Object> cells = new ArrayList<>(List.of(name(row.now()), name(row.then())));
      for (Outcome outcome : Outcome.values()) {
        cells.add(row.count(outcome));
      }
      rules.row(cells);
      for (WhatIfReport.Differing one : row.identities()) {
        identities.row(
            List.of(
                name(row.now()),
                name(row.then()),
                one.identity().isEmpty() ? NONE : one.identity(),
                one.onlyNow(),
                one.onlyThen()));
      }
    }
    text.append("Requests, by who refuses them\n\n").append(rules);
    if (!identities.isEmpty()) {
      text.append("\nIdentities that differ most, at least so often\n\n").append(identities);
    }
    return text.toString();
  }

  private static String name(String rule) {
    return rule == null ? NONE : rule;
  }

  /** The same, for programs. */
  public static String json(WhatIfReport report) {
    StringBuilder json = new StringBuilder("{\"since\":");
    append(json, report.since() == null ? null : report.since().toString());
    json.append(",\"sample\":");
    append(json, report.sample());
    json.append(",\"is_latest\":").append(report.isLatest()).append(",\"rules\":[");
    String comma = "";
    for (WhatIfReport.Row row : report.rows()) {
      json.append(comma).append("{\"now\":");
      append(json, row.now());
      json.append(",\"then\":");
      append(json, row.then());
      for (Outcome outcome : Outcome.values()) {
        append(json, outcome, row.count(outcome));
      }
      json.append(",\"identities\":[");
      comma = "";
      for (WhatIfReport.Differing one : row.identities()) {
        json.append(comma).append("{\"identity\":");
        append(json, one.identity().isEmpty() ? null : one.identity());
        append(json, Outcome.ONLY_NOW, one.onlyNow());
        append(json, Outcome.ONLY_THEN, one.onlyThen());
        json.append('}');
        comma = ",";
      }
      json.append("]}");
      comma = ",";
    }
    return json.append("]}\n").toString();
  }

  private static void append(StringBuilder json, Outcome outcome, long count) {
    json.append(",\"").append(outcome.label()).append("\":").append(count);
  }

  private static void append(StringBuilder json, String text) {
    if (text == null) {
      json.append("null");
    } else {
      json.append('"').append(text).append('"');
    }
  }
}

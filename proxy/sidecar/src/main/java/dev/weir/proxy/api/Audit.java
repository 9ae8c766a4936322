package dev.weir.proxy.api;

import dev.weir.proxy.records.AuditEntry;
import dev.weir.proxy.records.AuditKind;
import dev.weir.proxy.records.AuditPage;
import dev.weir.proxy.records.AuditQuery;
import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Role;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** Who changed what, the newest change first. */
public final class Audit {
  private static final int MOST_OF_PAGE = 1_000;
  private static final int USUAL_PAGE = 100;

  private final RecordStore store;

  /**
   * @param store null if no records are kept, and so no audit.
   */
  public Audit(RecordStore store) {
    this.store = store;
  }

  /** Its routes. */
  public List<ApiRoute> routes() {
    return List.of(
        ApiRoute.of(HttpMethod.GET, "/audit", Role.VIEWER, this::get)
            .taking("from", "to", "author", "object", "kind", "after", "most"),
        ApiRoute.of(HttpMethod.GET, "/audit:export", Role.ADMIN, this::export)
            .taking("from", "to", "author", "object", "after")
            .asLong());
  }

  /** Entries as lines, each as it was written; a field has where the next answer goes on. */
  private Page export(ApiRequest request) throws ApiProblem, RecordStoreException {
    AuditPage page = page(request, MOST_OF_PAGE);
    StringBuilder lines = new StringBuilder();
    page.entries().forEach(entry -> lines.append(entry.toJson()).append('\n'));
    Page answer =
        new Page(
            HttpResponseStatus.OK,
            ApiRoute.LINES,
            lines.toString().getBytes(StandardCharsets.UTF_8));
    return page.next() == null ? answer : answer.with(Map.of("Weir-Next", page.next()));
  }

  /** Some entries; a page may have fewer than asked for, even none, while another follows. */
  private Page get(ApiRequest request) throws ApiProblem, BadRecordException, RecordStoreException {
    AuditPage page = page(request, request.count("most", USUAL_PAGE, MOST_OF_PAGE));
    StringJoiner entries = new StringJoiner(",", "{\"entries\":[", "]");
    for (AuditEntry entry : page.entries()) {
      // Each as it was written, as the next one has its hash.
      entries.add(request.seesIdentities() ? entry.toJson() : hidden(entry, request));
    }
    return Page.json(entries + ",\"next\":" + JsonText.write(page.next()) + "}\n");
  }

  private AuditPage page(ApiRequest request, int most) throws ApiProblem, RecordStoreException {
    AuditQuery query =
        new AuditQuery(
            time(request, "from"),
            time(request, "to"),
            request.query("author", null),
            request.query("object", null),
            kind(request),
            request.query("after", null),
            most);
    if (store == null) {
      return new AuditPage(List.of(), null);
    }
    try {
      return store.audit(query);
    } catch (IllegalArgumentException cursor) {
      throw ApiProblem.ofParameter("after", query.after(), "the next of the page before");
    }
  }

  private static String hidden(AuditEntry entry, ApiRequest request) throws BadRecordException {
    Map<String, Object> members = new LinkedHashMap<>();
    ((Map<?, ?>) JsonText.read(entry.toJson(), Integer.MAX_VALUE))
        .forEach((name, value) -> members.put((String) name, value));
    members.computeIfPresent("user", (name, id) -> request.shown((String) id));
    return JsonText.write(members);
  }

  private static AuditKind kind(ApiRequest request) throws ApiProblem {
    String kind = request.query("kind", null);
    if (kind == null) {
      return null;
    }
    return switch (kind) {
      case "rules" -> AuditKind.RULES;
      case "users" -> AuditKind.USERS;
      default -> throw ApiProblem.ofParameter("kind", kind, "rules or users");
    };
  }

  private static Instant time(ApiRequest request, String name) throws ApiProblem {
    String text = request.query(name, null);
    try {
      return text == null
          ? null
          : text.contains("T")
              ? Instant.parse(text)
              : LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
    } catch (DateTimeParseException no) {
      throw ApiProblem.ofParameter(name, text, "2026-11-24 or 2026-11-24T18:00:00Z");
    }
  }
}

package dev.weir.proxy.api;

import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordFault;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.web.Page;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The answers of the API. */
public final class Answers {
  private static final String JSON = "application/json";
  private static final String PROBLEM = "application/problem+json";

  private Answers() {}

  /**
   * An answer of JSON.
   *
   * @param value as {@link JsonText#write} takes it.
   */
  public static Page json(int status, Object value) {
    return page(status, JSON, value, Map.of());
  }

  /** An answer of JSON that is a record, or leaves one, in some version. */
  public static Page json(int status, Object value, RecordVersion version) {
    return page(status, JSON, value, Map.of("ETag", etag(version)));
  }

  /** The answer to a client that has this version already. */
  static Page notModified(RecordVersion version) {
    return notModified(etag(version));
  }

  /** The answer to a client that has already what an ETag names. */
  static Page notModified(String etag) {
    return new Page(HttpResponseStatus.NOT_MODIFIED, null, new byte[0], Map.of("ETag", etag));
  }

  /** The answer that says no more than that it was done. */
  public static Page noContent() {
    return new Page(HttpResponseStatus.NO_CONTENT, null, new byte[0]);
  }

  /** A version as an ETag. */
  static String etag(RecordVersion version) {
    return '"' + version.toString() + '"';
  }

  /** A problem (RFC 9457). */
  public static Page problem(ApiProblem problem) {
    HttpResponseStatus status = HttpResponseStatus.valueOf(problem.status());
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("type", "about:blank");
    json.put("title", status.reasonPhrase());
    json.put("status", problem.status());
    json.put("detail", problem.getMessage());
    json.putAll(problem.members());
    if (!problem.errors().isEmpty()) {
      json.put("errors", problem.errors());
    }
    return page(problem.status(), PROBLEM, json, problem.fields());
  }

  /** Faults as members of a problem. */
  static List<Map<String, Object>> faults(List<RecordFault> faults) {
    return faults.stream().map(Answers::fault).toList();
  }

  private static Map<String, Object> fault(RecordFault fault) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("pointer", fault.pointer());
    if (fault.line() > 0) {
      json.put("line", fault.line());
    }
    json.put("found", fault.found());
    if (!fault.expected().isEmpty()) {
      json.put("expected", fault.expected());
    }
    return json;
  }

  private static Page page(int status, String type, Object value, Map<String, String> fields) {
    byte[] body = (JsonText.write(value) + "\n").getBytes(StandardCharsets.UTF_8);
    return new Page(HttpResponseStatus.valueOf(status), type, body, fields);
  }
}

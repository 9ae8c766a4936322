package dev.weir.proxy.web;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;

/**
 * An answer, whole.
 *
 * @param fields beside those that every answer has.
 */
public record Page(
    HttpResponseStatus status,
    String contentType,
    byte[] body,
    Map<? extends CharSequence, String> fields) {
  public Page(HttpResponseStatus status, String contentType, byte[] body) {
    this(status, contentType, body, Map.of());
  }

  /** This page as one of several at its path, among which the Accept field chooses. */
  public Page varying() {
    return new Page(status, contentType, body, Map.of(HttpHeaderNames.VARY, "accept"));
  }

  public static Page text(HttpResponseStatus status, String text) {
    return new Page(status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
  }

  public static Page json(String json) {
    return new Page(
        HttpResponseStatus.OK, "application/json", json.getBytes(StandardCharsets.UTF_8));
  }

  static Page html(String html) {
    return new Page(
        HttpResponseStatus.OK, "text/html; charset=utf-8", html.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * A problem (RFC 9457).
   *
   * @param detail a constant of ours, never a text of the client's.
   */
  public static Page problem(HttpResponseStatus status, String detail) {
    String json =
        "{\"type\":\"about:blank\",\"title\":\""
            + status.reasonPhrase()
            + "\",\"status\":"
            + status.code()
            + ",\"detail\":\""
            + detail
            + "\"}\n";
    return new Page(status, "application/problem+json", json.getBytes(StandardCharsets.UTF_8));
  }

  /** The answer to a body that is longer than so many bytes. */
  static Page tooLarge(int maxBytes) {
    return problem(
        HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
        "body: too long (expected: at most " + maxBytes + " bytes)");
  }

  /** The answer to a method that the path does not have. */
  static Page badMethod(Set<String> allowed) {
    String only = String.join(" and ", allowed) + (allowed.size() == 1 ? " is" : " are");
    Page problem = problem(HttpResponseStatus.METHOD_NOT_ALLOWED, "Only " + only + " allowed.");
    return new Page(
        problem.status(),
        problem.contentType(),
        problem.body(),
        Map.of(HttpHeaderNames.ALLOW, String.join(", ", allowed)));
  }
}

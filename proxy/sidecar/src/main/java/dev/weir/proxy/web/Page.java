package dev.weir.proxy.web;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * An answer, whole.
 *
 * @param contentType null without a body.
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
    return with(Map.of(HttpHeaderNames.VARY, "accept"));
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
    return problem(status, detail, "");
  }

  private static Page problem(HttpResponseStatus status, String detail, String members) {
    String json =
        "{\"type\":\"about:blank\",\"title\":\""
            + status.reasonPhrase()
            + "\",\"status\":"
            + status.code()
            + ",\"detail\":\""
            + detail
            + "\""
            + members
            + "}\n";
    return new Page(status, "application/problem+json", json.getBytes(StandardCharsets.UTF_8));
  }

  /** The answer to a body that is longer than so many bytes. */
  static Page tooLarge(int maxBytes) {
    String expected = "at most " + maxBytes + " bytes";
    return problem(
        HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
        "body: too long (expected: " + expected + ")",
        ",\"errors\":[{\"pointer\":\"\",\"found\":\"too long\",\"expected\":\""
            + expected
            + "\"}]");
  }

  /** The answer to a method that the path does not have. */
  static Page badMethod(Set<String> allowed) {
    String only = String.join(" and ", allowed) + (allowed.size() == 1 ? " is" : " are");
    return problem(HttpResponseStatus.METHOD_NOT_ALLOWED, "Only " + only + " allowed.")
        .with(allow(allowed));
  }

  /** The answer to OPTIONS: no more than the methods, as other origins have no business here. */
  static Page options(Set<String> allowed) {
    return new Page(HttpResponseStatus.NO_CONTENT, null, new byte[0], allow(allowed));
  }

  private static Map<CharSequence, String> allow(Set<String> methods) {
    return Map.of(HttpHeaderNames.ALLOW, String.join(", ", methods));
  }

  /** This page with further fields. */
  public Page with(Map<? extends CharSequence, String> more) {
    if (more.isEmpty()) {
      return this;
    }
    Map<CharSequence, String> all = new LinkedHashMap<>(fields);
    all.putAll(more);
    return new Page(status, contentType, body, all);
  }
}

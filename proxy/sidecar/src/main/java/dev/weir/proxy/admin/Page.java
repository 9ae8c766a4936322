package dev.weir.proxy.admin;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;

/**
 * An answer, whole.
 *
 * @param variesByAccept whether another one would be here for another Accept field.
 */
record Page(HttpResponseStatus status, String contentType, byte[] body, boolean variesByAccept) {
  Page(HttpResponseStatus status, String contentType, byte[] body) {
    this(status, contentType, body, false);
  }

  /** This page as one of several that stand at its path. */
  Page varying() {
    return new Page(status, contentType, body, true);
  }

  static Page text(HttpResponseStatus status, String text) {
    return new Page(status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
  }

  static Page html(String html) {
    return new Page(
        HttpResponseStatus.OK, "text/html; charset=utf-8", html.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * RFC 9457.
   *
   * @param detail a constant of ours, never a text of the client's.
   */
  static Page problem(HttpResponseStatus status, String detail) {
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
}

package dev.weir.bench.load;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Makes requests of HTTP/1.1, once for many times that they are sent. */
final class Http1Requests {
  private Http1Requests() {}

  /**
   * A request of HTTP/1.1. {@code Host} is added unless it is among the fields, and so is {@code
   * Content-Length} where there is a body.
   *
   * @param body null for none.
   */
  static Request of(
      String method,
      String authority,
      String path,
      List<Map.Entry<String, String>> fields,
      byte[] body) {
    final StringBuilder head = new StringBuilder(256);
    head.append(method).append(' ').append(path).append(" HTTP/1.1\r\n");
    if (!has(fields, "host")) {
      head.append("Host: ").append(authority).append("\r\n");
    }
    for (Map.Entry<String, String> field : fields) {
      head.append(field.getKey()).append(": ").append(field.getValue()).append("\r\n");
    }
    if (body != null && !has(fields, "content-length")) {
      head.append("Content-Length: ").append(body.length).append("\r\n");
    }
    return new Request(
        head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1),
        body == null ? Request.NO_BODY : body,
        method.equals("HEAD"));
  }

  private static boolean has(List<Map.Entry<String, String>> fields, String name) {
    return fields.stream().anyMatch(field -> field.getKey().equalsIgnoreCase(name));
  }
}

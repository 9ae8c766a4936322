package dev.weir.bench.load;

import dev.weir.bench.scenario.Field;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.proxy.rule.spec.BadValueException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** Requests as bytes of HTTP/1.1. */
final class Http1Requests {
  /** Methods of which a server expects to be told that there is no content (RFC 9110, 8.6). */
  private static final Set<String> WITH_CONTENT = Set.of("POST", "PUT", "PATCH");

  private Http1Requests() {}

  /**
   * The request of a kind for a key, which stands wherever {@code {key}} does.
   *
   * @throws BadValueException for a trace of its own.
   */
  static Request of(RequestSpec spec, String key) {
    final byte[] body = spec.body() == null ? Request.NO_BODY : spec.body().bytes(key);
    final StringBuilder head = new StringBuilder(256);
    head.append(spec.method())
        .append(' ')
        .append(RequestSpec.filled(spec.path(), key))
        .append(" HTTP/1.1\r\n");
    if (!has(spec, "host")) {
      head.append("Host: ").append(spec.target().authority()).append("\r\n");
    }
    for (Field field : spec.fields()) {
      if (field.takesTrace()) {
        throw new BadValueException(field.value(), "a value that all requests of HTTP/1.1 share");
      }
      head.append(field.name())
          .append(": ")
          .append(RequestSpec.filled(field.value(), key))
          .append("\r\n");
    }
    final boolean saysLength = spec.body() != null || WITH_CONTENT.contains(spec.method());
    if (saysLength && !has(spec, "content-length")) {
      head.append("Content-Length: ").append(body.length).append("\r\n");
    }
    return new Request(
        head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1),
        body,
        spec.method().equals("HEAD"));
  }

  private static boolean has(RequestSpec spec, String name) {
    return spec.fields().stream().anyMatch(field -> field.name().equalsIgnoreCase(name));
  }
}

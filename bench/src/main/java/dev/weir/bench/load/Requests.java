package dev.weir.bench.load;

import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.RequestSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Requests as bytes of the protocol that carries them. */
final class Requests {
  private Requests() {}

  /**
   * The requests of a kind: one per key, by its index, or a single one if it takes none.
   *
   * @throws dev.weir.proxy.rule.BadValueException for a field that the protocol does not have.
   */
  static Request[] of(RequestSpec spec, Protocol protocol, List<String> keys) {
    return spec.takesKey()
        ? keys.stream().map(key -> of(spec, protocol, key)).toArray(Request[]::new)
        : new Request[] {of(spec, protocol, "")};
  }

  private static Request of(RequestSpec spec, Protocol protocol, String key) {
    final byte[] body = spec.body() == null ? Request.NO_BODY : spec.body().bytes(key);
    final String path = RequestSpec.filled(spec.path(), key);
    final List<Map.Entry<String, String>> fields = new ArrayList<>();
    spec.fields()
        .forEach(
            field -> fields.add(Map.entry(field.name(), RequestSpec.filled(field.value(), key))));
    final String scheme = spec.target().tls() ? "https" : "http";
    final String authority = spec.target().authority();
    return switch (protocol) {
      case HTTP1 ->
          Http1Requests.of(
              spec.method(), authority, path, fields, spec.body() == null ? null : body);
      case HTTP2 -> Http2Requests.http(spec.method(), scheme, authority, path, fields, body);
      case GRPC -> Http2Requests.grpc(scheme, authority, path, fields, body);
    };
  }
}

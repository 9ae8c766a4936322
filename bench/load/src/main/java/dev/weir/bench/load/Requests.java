package dev.weir.bench.load;

import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.RequestSpec;
import java.util.List;

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
    return switch (protocol) {
      case HTTP1 -> Http1Requests.of(spec, key);
      case HTTP2 -> Http2Requests.of(spec, key);
      case GRPC -> Http2Requests.call(spec, key);
    };
  }
}

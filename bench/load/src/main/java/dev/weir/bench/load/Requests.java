package dev.weir.bench.load;

import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.RequestSpec;
import java.util.List;

/** Requests of a run in the protocol that carries them. */
final class Requests {
  private final ClientSettings client;
  private final Http2Requests http2;

  Requests(ClientSettings client) {
    this.client = client;
    http2 = new Http2Requests(new FieldLines(), client.timeoutNs());
  }

  /**
   * The requests of a kind: one per key, by its index, or a single one if it takes none.
   *
   * @throws dev.weir.proxy.rule.spec.BadValueException for a field that the protocol does not have.
   */
  Request[] of(RequestSpec spec, List<String> keys) {
    if (!spec.takesKey()) {
      return new Request[] {of(spec, "")};
    }
    if (client.protocol() == Protocol.GRPC && !spec.headTakesKey()) {
      final Request first = of(spec, keys.get(0)); // a million calls have its head
      return keys.stream().map(key -> http2.like(first, spec, key)).toArray(Request[]::new);
    }
    return keys.stream().map(key -> of(spec, key)).toArray(Request[]::new);
  }

  private Request of(RequestSpec spec, String key) {
    return switch (client.protocol()) {
      case HTTP1 -> Http1Requests.of(spec, key);
      case HTTP2 -> http2.request(spec, key);
      case GRPC -> http2.call(spec, key);
    };
  }
}

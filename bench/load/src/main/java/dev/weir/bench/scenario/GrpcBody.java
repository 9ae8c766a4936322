package dev.weir.bench.scenario;

import dev.weir.bench.grpc.GrpcMethod;
import java.nio.charset.StandardCharsets;

/**
 * A message of a gRPC call.
 *
 * @param json in which the key may stand, inside a string.
 */
record GrpcBody(GrpcMethod method, String json) implements Body {
  @Override
  public boolean takesKey() {
    return json.contains(RequestSpec.KEY);
  }

  @Override
  public byte[] bytes(String key) {
    // A key is bytes, as characters of those numbers.
    final String text =
        new String(key.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    return method.encode(
        RequestSpec.filled(json, text.replace("\\", "\\\\").replace("\"", "\\\"")));
  }
}

package dev.weir.bench.scenario;

import dev.weir.bench.grpc.GrpcMethod;

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
    return method.encode(RequestSpec.filled(json, key.replace("\\", "\\\\").replace("\"", "\\\"")));
  }
}

package dev.weir.bench.scenario;

import dev.weir.bench.grpc.GrpcMethod;
import java.nio.charset.StandardCharsets;

/** The content of requests, with a place for the key if it has one. */
public interface Body {
  /** Whether it differs by key. */
  boolean takesKey();

  byte[] bytes(String key);

  /** A body of fixed bytes, whatever the key. */
  public record FixedBody(byte[] bytes) implements Body {
    @Override
    public boolean takesKey() {
      return false;
    }

    @Override
    public byte[] bytes(String key) {
      return bytes;
    }
  }

  /**
   * A text in which the key may stand.
   *
   * @param text sent as UTF-8.
   */
  record TextBody(String text) implements Body {
    @Override
    public boolean takesKey() {
      return text.contains(RequestSpec.KEY);
    }

    @Override
    public byte[] bytes(String key) {
      // A key is bytes, as characters of those numbers.
      final String bytes =
          new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
      return RequestSpec.filled(bytes, key).getBytes(StandardCharsets.ISO_8859_1);
    }
  }

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
}

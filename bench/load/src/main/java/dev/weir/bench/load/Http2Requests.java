package dev.weir.bench.load;

import static dev.weir.bench.scenario.RequestSpec.filled;

import dev.weir.bench.scenario.Field;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.proxy.http2.HpackEncoder;
import dev.weir.proxy.rule.BadValueException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Set;

/** Requests as field blocks and bodies of HTTP/2. */
final class Http2Requests {
  private static final int GRPC_PREFIX_BYTES = 5;
  private static final Set<String> OF_THE_CONNECTION =
      Set.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade");
  private static final Set<String> OF_GRPC = Set.of("te", "content-type", "content-length");

  private Http2Requests() {}

  /**
   * The request of a kind for a key, which stands wherever {@code {key}} does. A field {@code Host}
   * is sent as {@code :authority}.
   *
   * @throws BadValueException for a field that HTTP/2 does not have.
   */
  static Request of(RequestSpec spec, String key) {
    final byte[] body = body(spec, key);
    final HpackEncoder block = head(spec.method(), spec, key);
    boolean lengthNamed = false;
    for (Field field : spec.fields()) {
      final String name = lowerCase(field);
      if (name.equals("te") && !field.value().equals("trailers")) {
        throw new BadValueException("te: " + field.value(), "trailers, over HTTP/2");
      }
      lengthNamed |= name.equals("content-length");
      add(block, field, key);
    }
    if (spec.body() != null && !lengthNamed) {
      block.add("content-length", Integer.toString(body.length));
    }
    return new Request(block.bytes(), body, spec.method().equals("HEAD"));
  }

  /**
   * The unary gRPC call of a kind for a key: to the method that the path names, {@code
   * /package.Service/Method}, with the body as its message; an empty one if there is no body.
   *
   * @throws BadValueException for a field that HTTP/2 does not have, or that gRPC sets.
   */
  static Request call(RequestSpec spec, String key) {
    final HpackEncoder block =
        head("POST", spec, key).add("te", "trailers").add("content-type", "application/grpc");
    for (Field field : spec.fields()) {
      if (OF_GRPC.contains(lowerCase(field))) {
        throw new BadValueException(field.name(), "a field that gRPC does not set itself");
      }
      add(block, field, key);
    }
    final byte[] message = body(spec, key);
    final byte[] body =
        ByteBuffer.allocate(GRPC_PREFIX_BYTES + message.length)
            .put((byte) 0) // not compressed
            .putInt(message.length)
            .put(message)
            .array();
    return new Request(block.bytes(), body, false);
  }

  private static byte[] body(RequestSpec spec, String key) {
    return spec.body() == null ? Request.NO_BODY : spec.body().bytes(key);
  }

  private static HpackEncoder head(String method, RequestSpec spec, String key) {
    String authority = spec.target().authority();
    for (Field field : spec.fields()) {
      final String name = lowerCase(field);
      if (OF_THE_CONNECTION.contains(name)) {
        throw new BadValueException(field.name(), "a field that HTTP/2 has");
      }
      if (name.equals("host")) {
        authority = filled(field.value(), key);
      }
    }
    return new HpackEncoder()
        .add(":method", method)
        .add(":scheme", spec.target().tls() ? "https" : "http")
        .add(":authority", authority)
        .add(":path", filled(spec.path(), key));
  }

  private static void add(HpackEncoder block, Field field, String key) {
    final String name = lowerCase(field);
    if (!name.equals("host")) {
      block.add(name, filled(field.value(), key));
    }
  }

  private static String lowerCase(Field field) {
    return field.name().toLowerCase(Locale.ROOT);
  }
}

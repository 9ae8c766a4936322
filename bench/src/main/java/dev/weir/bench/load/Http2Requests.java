package dev.weir.bench.load;

import dev.weir.proxy.rule.BadValueException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Makes requests of HTTP/2, once for many times that they are sent. */
final class Http2Requests {
  private static final int GRPC_PREFIX_BYTES = 5;
  private static final Set<String> OF_THE_CONNECTION =
      Set.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade");
  private static final Set<String> OF_GRPC = Set.of("te", "content-type", "content-length");

  private Http2Requests() {}

  /**
   * A request of HTTP/2. {@code content-length} is added where HTTP/1.1 would have it.
   *
   * @param fields names in any case; {@code Host} is sent as {@code :authority}.
   * @throws BadValueException for a field that HTTP/2 does not have.
   */
  static Request http(
      String method,
      String scheme,
      String authority,
      String path,
      List<Map.Entry<String, String>> fields,
      byte[] body) {
    FieldBlock block = head(method, scheme, authority, path, fields);
    boolean lengthNamed = false;
    for (Map.Entry<String, String> field : fields) {
      String name = field.getKey().toLowerCase(Locale.ROOT);
      if (name.equals("te") && !field.getValue().equals("trailers")) {
        throw new BadValueException("te: " + field.getValue(), "trailers, over HTTP/2");
      }
      if (name.equals("content-length")) {
        lengthNamed = true;
        if (!field.getValue().equals(Integer.toString(body.length))) {
          throw new BadValueException(
              "content-length: " + field.getValue(), body.length + ", as long as the body is");
        }
      }
      addUnlessHost(block, name, field.getValue());
    }
    if (!lengthNamed && (body.length > 0 || Set.of("POST", "PUT", "PATCH").contains(method))) {
      block.add("content-length", Integer.toString(body.length));
    }
    return new Request(block.bytes(), body, method.equals("HEAD"));
  }

  /**
   * A unary call of gRPC.
   *
   * @param path {@code /package.Service/Method}.
   * @param fields as of {@link #http}.
   * @throws BadValueException for a field that HTTP/2 does not have, or that gRPC sets.
   */
  static Request grpc(
      String scheme,
      String authority,
      String path,
      List<Map.Entry<String, String>> fields,
      byte[] message) {
    FieldBlock block =
        head("POST", scheme, authority, path, fields)
            .add("te", "trailers")
            .add("content-type", "application/grpc");
    for (Map.Entry<String, String> field : fields) {
      String name = field.getKey().toLowerCase(Locale.ROOT);
      if (OF_GRPC.contains(name)) {
        throw new BadValueException(field.getKey(), "a field that gRPC does not set itself");
      }
      addUnlessHost(block, name, field.getValue());
    }
    byte[] body =
        ByteBuffer.allocate(GRPC_PREFIX_BYTES + message.length)
            .put((byte) 0) // not compressed
            .putInt(message.length)
            .put(message)
            .array();
    return new Request(block.bytes(), body, false);
  }

  private static FieldBlock head(
      String method,
      String scheme,
      String authority,
      String path,
      List<Map.Entry<String, String>> fields) {
    String host = authority;
    for (Map.Entry<String, String> field : fields) {
      String name = field.getKey().toLowerCase(Locale.ROOT);
      if (name.startsWith(":") || OF_THE_CONNECTION.contains(name)) {
        throw new BadValueException(field.getKey(), "a field that HTTP/2 has");
      }
      if (name.equals("host")) {
        host = field.getValue();
      }
    }
    return new FieldBlock()
        .add(":method", method)
        .add(":scheme", scheme)
        .add(":authority", host)
        .add(":path", path);
  }

  private static void addUnlessHost(FieldBlock block, String name, String value) {
    if (!name.equals("host")) {
      block.add(name, value);
    }
  }
}

package dev.weir.bench.load;

import static dev.weir.bench.scenario.RequestSpec.filled;

import dev.weir.bench.load.FieldLines.FieldLine;
import dev.weir.bench.scenario.Field;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.proxy.rule.spec.BadValueException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Makes requests of fields and bodies of HTTP/2. */
final class Http2Requests {
  private static final int GRPC_PREFIX_BYTES = 5;
  private static final Set<String> OF_THE_CONNECTION =
      Set.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade");
  private static final Set<String> OF_GRPC = Set.of("te", "content-type", "content-length");
  private static final String DEADLINE = "grpc-timeout";

  private final FieldLines lines;
  private final long timeoutNs;

  /**
   * @param timeoutNs after which a call is given up; servers are told of it.
   */
  Http2Requests(FieldLines lines, long timeoutNs) {
    this.lines = lines;
    this.timeoutNs = timeoutNs;
  }

  /**
   * The request of a kind for a key, which stands wherever {@code {key}} does. A field {@code Host}
   * is sent as {@code :authority}.
   *
   * @throws BadValueException for a field that HTTP/2 does not have.
   */
  Request request(RequestSpec spec, String key) {
    final byte[] body = body(spec, key);
    final List<FieldLine[]> fields = head(spec.method(), spec, key);
    boolean lengthNamed = false;
    for (Field field : spec.fields()) {
      final String name = lowerCase(field);
      if (name.equals("te") && !field.value().equals("trailers")) {
        throw new BadValueException("te: " + field.value(), "trailers, over HTTP/2");
      }
      lengthNamed |= name.equals("content-length");
      add(fields, field, key);
    }
    if (spec.body() != null && !lengthNamed) {
      fields.add(lines.of("content-length", Integer.toString(body.length)));
    }
    return new Request(fields.toArray(FieldLine[][]::new), body, spec.method().equals("HEAD"));
  }

  /**
   * The unary gRPC call of a kind for a key: to the method that the path names, {@code
   * /package.Service/Method}, with the body as its message; an empty one if there is no body. It
   * has a deadline, which the kind may name itself.
   *
   * @throws BadValueException for a field that HTTP/2 does not have, or that gRPC sets.
   */
  Request call(RequestSpec spec, String key) {
    final List<FieldLine[]> fields = head("POST", spec, key);
    fields.add(lines.of("te", "trailers"));
    fields.add(lines.of("content-type", "application/grpc"));
    boolean deadlineNamed = false;
    for (Field field : spec.fields()) {
      if (OF_GRPC.contains(lowerCase(field))) {
        throw new BadValueException(field.name(), "a field that gRPC does not set itself");
      }
      deadlineNamed |= lowerCase(field).equals(DEADLINE);
      add(fields, field, key);
    }
    if (!deadlineNamed) {
      fields.add(lines.deadlines(timeoutNs));
    }
    return new Request(fields.toArray(FieldLine[][]::new), prefixed(body(spec, key)), false);
  }

  /** The call of a kind for another key, of which only the message differs by keys. */
  Request like(Request call, RequestSpec spec, String key) {
    return new Request(call.fields(), prefixed(body(spec, key)), false);
  }

  private static byte[] prefixed(byte[] message) {
    return ByteBuffer.allocate(GRPC_PREFIX_BYTES + message.length)
        .put((byte) 0) // not compressed
        .putInt(message.length)
        .put(message)
        .array();
  }

  private static byte[] body(RequestSpec spec, String key) {
    return spec.body() == null ? Request.NO_BODY : spec.body().bytes(key);
  }

  private List<FieldLine[]> head(String method, RequestSpec spec, String key) {
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
    final List<FieldLine[]> fields = new ArrayList<>();
    fields.add(lines.of(":method", method));
    fields.add(lines.of(":scheme", spec.target().tls() ? "https" : "http"));
    fields.add(lines.of(":authority", authority));
    fields.add(lines.of(":path", filled(spec.path(), key)));
    return fields;
  }

  private void add(List<FieldLine[]> fields, Field field, String key) {
    final String name = lowerCase(field);
    if (field.takesTrace()) {
      fields.add(lines.traces());
    } else if (!name.equals("host")) {
      fields.add(lines.of(name, filled(field.value(), key)));
    }
  }

  private static String lowerCase(Field field) {
    return field.name().toLowerCase(Locale.ROOT);
  }
}

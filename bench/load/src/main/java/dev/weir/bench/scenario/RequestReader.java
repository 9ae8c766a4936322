package dev.weir.bench.scenario;

import dev.weir.bench.grpc.GrpcDescriptor;
import dev.weir.bench.grpc.GrpcMethod;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads which requests there shall be: their targets, methods, fields and bodies. */
final class RequestReader {
  private final SettingReader reader;

  RequestReader(SettingReader reader) {
    this.reader = reader;
  }

  /** The kinds of requests that are right; faults for the others. */
  List<RequestSpec> requests() {
    final List<RequestSettings> kinds = new ArrayList<>(reader.settings.requests());
    for (Setting target : reader.settings.targets()) {
      final RequestSettings kind = new RequestSettings(target.where());
      kind.set("target", target);
      kinds.add(kind);
    }
    if (kinds.isEmpty()) {
      reader.faults.add("targets: none (expected: at least one, such as http://127.0.0.1:8000/)");
    }
    final List<RequestSpec> specs = new ArrayList<>();
    for (RequestSettings kind : kinds) {
      kind.inherit(reader.settings.common());
      final RequestSpec spec = request(kind);
      if (spec != null) {
        specs.add(spec);
      }
    }
    final long targets = specs.stream().map(RequestSpec::target).distinct().count();
    final Setting connections = reader.settings.get("connections");
    if (targets
        > reader.whole(
            "connections", ClientSettings.DEFAULT_CONNECTIONS, ClientSettings.MOST_CONNECTIONS)) {
      reader.faults.add(
          (connections == null
                  ? "connections: " + ClientSettings.DEFAULT_CONNECTIONS
                  : connections.where() + ": " + connections.text())
              + " (expected: at least one for each of "
              + targets
              + " targets)");
    }
    return specs;
  }

  private RequestSpec request(RequestSettings kind) {
    final Setting target = kind.get("target");
    if (target == null) {
      reader.faults.add(kind.where() + ": no target (expected: a URL)");
      return null;
    }
    final Target.Located located = reader.parsed(target, Target::parse);
    final List<Field> fields = new ArrayList<>();
    for (Setting header : kind.headers()) {
      fields.add(reader.parsed(header, Field::parse));
    }
    final Setting call = kind.get("grpc");
    final Body body = call == null ? body(kind) : message(kind, call);
    final String method =
        reader.of(kind, "method", body == null ? "GET" : "POST", SettingText::method);
    final double weight = reader.of(kind, "weight", "1", SettingText::positive);
    if (located == null) {
      return null;
    }
    final String path = call == null ? located.path() : "/" + call.text();
    return new RequestSpec(located.target(), method, path, fields, body, weight);
  }

  private Body body(RequestSettings kind) {
    final Setting text = kind.get("body");
    final Setting file = kind.get("body-file");
    for (String name : List.of("message", "message-file")) {
      if (kind.get(name) != null) {
        reader.faults.add(kind.get(name).where() + ": set (expected: only beside grpc)");
      }
    }
    if (text != null && file != null) {
      reader.faults.add(
          file.where() + ": " + file.text() + " (expected: one of body and body-file)");
    }
    if (file != null) {
      return reader.parsed(file, SettingText::fileBody);
    }
    return text == null ? null : new TextBody(text.text());
  }

  /** A call's message: as JSON, which takes a descriptor, or as the bytes of a file. */
  private Body message(RequestSettings kind, Setting call) {
    final Setting json = kind.get("message");
    final Setting file = kind.get("message-file");
    final Setting descriptor = reader.settings.get("descriptor");
    for (String name : List.of("body", "body-file", "method")) {
      if (kind.get(name) != null) {
        reader.faults.add(
            kind.get(name).where() + ": set (expected: message or message-file, with grpc)");
      }
    }
    if (file != null && json != null) {
      reader.faults.add(
          file.where() + ": " + file.text() + " (expected: one of message, message-file)");
    }
    if (file != null) {
      return reader.parsed(file, SettingText::fileBody);
    }
    if (descriptor == null) {
      if (json != null) {
        reader.faults.add(
            json.where()
                + ": "
                + json.text()
                + " (expected: a descriptor beside it, or a message-file)");
      } else if (!call.text().matches("[A-Za-z0-9_.]+/[A-Za-z0-9_]+")) {
        reader.faults.add(
            call.where() + ": " + call.text() + " (expected: package.Service/Method)");
      }
      return new FixedBody(new byte[0]);
    }
    final Path set = reader.parsed(descriptor, SettingText::readable);
    final GrpcMethod method =
        set == null ? null : reader.parsed(call, text -> GrpcDescriptor.method(set, text));
    if (method == null) {
      return null;
    }
    final Setting text = json == null ? new Setting("message", "{}") : json;
    return reader.parsed(
        text,
        message -> {
          final Body body = new GrpcBody(method, message);
          body.bytes("key"); // whether it is one
          return body;
        });
  }
}

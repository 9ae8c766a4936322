package dev.weir.bench.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The texts that describe one kind of request. */
final class RequestSettings {
  /** What there may be once. */
  static final Set<String> NAMES =
      Set.of("target", "method", "body", "body-file", "weight", "grpc", "message", "message-file");

  /** What there may be several of. */
  static final String HEADERS = "headers";

  private final String where;
  private final Map<String, Setting> settings = new LinkedHashMap<>();
  private final List<Setting> headers = new ArrayList<>();

  /**
   * @param where they stand together.
   */
  RequestSettings(String where) {
    this.where = where;
  }

  String where() {
    return where;
  }

  void set(String name, Setting setting) {
    settings.put(name, setting);
  }

  void addHeader(Setting header) {
    headers.add(header);
  }

  /** Null if it is not set. */
  Setting get(String name) {
    return settings.get(name);
  }

  List<Setting> headers() {
    return headers;
  }

  /** Takes over what is not set here. */
  void inherit(RequestSettings defaults) {
    defaults.settings.forEach(settings::putIfAbsent);
    final List<Setting> own = List.copyOf(headers);
    headers.clear();
    headers.addAll(defaults.headers);
    headers.addAll(own);
  }
}

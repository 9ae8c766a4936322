package dev.weir.bench.scenario;

import dev.weir.bench.scenario.ScenarioSettings.Setting;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The texts that describe one kind of request. */
final class RequestSettings {
  /** Names that a request may have once. */
  static final Set<String> NAMES =
      Set.of("target", "method", "body", "body-file", "weight", "grpc", "message", "message-file");

  /** Names that a request may have several times. */
  static final String HEADERS = "headers";

  final String where;
  private final Map<String, Setting> settings = new LinkedHashMap<>();
  final List<Setting> headers = new ArrayList<>();

  /**
   * @param where they stand together.
   */
  RequestSettings(String where) {
    this.where = where;
  }

  void set(String name, Setting setting) {
    settings.put(name, setting);
  }

  void addHeader(Setting header) {
    headers.add(header);
  }

  Setting get(String name) {
    return settings.get(name);
  }

  /** Takes over what is not set here. */
  void inherit(RequestSettings defaults) {
    final Set<String> own = Set.copyOf(settings.keySet());
    defaults.settings.forEach(
        (name, setting) -> {
          if (Collections.disjoint(rivals(name), own)) {
            settings.put(name, setting);
          }
        });
    final List<Setting> fields = without(headers, defaults.headers);
    fields.addAll(headers);
    headers.clear();
    headers.addAll(fields);
  }

  /** Takes over all of it, instead of what is set here. */
  void override(RequestSettings winner) {
    winner.settings.keySet().forEach(name -> settings.keySet().removeAll(rivals(name)));
    settings.putAll(winner.settings);
    final List<Setting> fields = without(winner.headers, headers);
    fields.addAll(winner.headers);
    headers.clear();
    headers.addAll(fields);
  }

  /** A name, and the others that set the same thing in another way. */
  private static Set<String> rivals(String name) {
    return switch (name) {
      case "body", "body-file" -> Set.of("body", "body-file");
      case "message", "message-file" -> Set.of("message", "message-file");
      default -> Set.of(name);
    };
  }

  /** The settings of {@code fields} of which {@code winners} has none of the name. */
  private static List<Setting> without(List<Setting> winners, List<Setting> fields) {
    final Set<String> names =
        winners.stream().map(RequestSettings::fieldName).collect(Collectors.toSet());
    return fields.stream()
        .filter(field -> !names.contains(fieldName(field)))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private static String fieldName(Setting header) {
    final String text = header.text();
    return text.substring(0, Math.max(0, text.indexOf(':'))).trim().toLowerCase(Locale.ROOT);
  }
}

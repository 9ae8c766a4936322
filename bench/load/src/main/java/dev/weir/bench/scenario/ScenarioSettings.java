package dev.weir.bench.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The texts of a scenario, from a file and from flags. The names are the same in both; a flag wins.
 */
public final class ScenarioSettings {
  /** Names that a scenario may have once, those of requests apart. */
  static final Set<String> NAMES =
      Set.of(
          "name",
          "protocol",
          "rate",
          "duration",
          "max",
          "keys",
          "connections",
          "streams",
          "event-loops",
          "transport",
          "timeout",
          "warm-up",
          "descriptor",
          "ca",
          "insecure",
          "no-resumption",
          "requests-per-connection");

  private final Map<String, Setting> settings = new LinkedHashMap<>();
  final List<Setting> stages = new ArrayList<>();
  final List<Setting> thresholds = new ArrayList<>();
  final List<Setting> targets = new ArrayList<>();
  final List<RequestSettings> requests = new ArrayList<>();
  final RequestSettings common = new RequestSettings("the request");

  /** Sets what there may be once; the last one wins. */
  void set(String name, Setting setting) {
    settings.put(name, setting);
  }

  /** Forgets how much; and how long, where the stages that come instead say it. */
  void forgetLoad(boolean forStages) {
    settings.remove("rate");
    settings.remove("max");
    if (forStages) {
      settings.remove("duration");
    }
    stages.clear();
  }

  /** Null if it is not set. */
  Setting get(String name) {
    return settings.get(name);
  }

  /**
   * A text that somebody set.
   *
   * @param where it stands: {@code --rate}, or {@code load.yaml:3:7: rate}.
   */
  record Setting(String where, String text) {}
}

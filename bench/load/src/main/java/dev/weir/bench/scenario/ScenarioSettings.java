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
  private final List<Setting> stages = new ArrayList<>();
  private final List<Setting> thresholds = new ArrayList<>();
  private final List<Setting> targets = new ArrayList<>();
  private final List<RequestSettings> requests = new ArrayList<>();
  private final RequestSettings common = new RequestSettings("the request");

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

  List<Setting> stages() {
    return stages;
  }

  List<Setting> thresholds() {
    return thresholds;
  }

  List<Setting> targets() {
    return targets;
  }

  List<RequestSettings> requests() {
    return requests;
  }

  /** Settings of all requests that do not have their own. */
  RequestSettings common() {
    return common;
  }
}

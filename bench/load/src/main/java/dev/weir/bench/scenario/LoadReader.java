package dev.weir.bench.scenario;

import java.util.List;

/** Reads which load there shall be: a rate, stages, or as much as the target takes. */
final class LoadReader {
  private static final String DEFAULT_DURATION = "10s";
  private static final String DEFAULT_WARM_UP = "2s";

  private final SettingReader reader;

  LoadReader(SettingReader reader) {
    this.reader = reader;
  }

  /** The load; null, with a fault, if there is none. */
  Load load() {
    final boolean max = reader.one("max", "false", SettingText::bool);
    final long warmUpNs = reader.one("warm-up", DEFAULT_WARM_UP, SettingText::zeroOrMore);
    final long durationNs = reader.one("duration", DEFAULT_DURATION, SettingText::upToADay);
    final Setting rate = reader.settings.get("rate");
    final List<Setting> stages = reader.settings.stages();
    final int ways = (max ? 1 : 0) + (rate == null ? 0 : 1) + (stages.isEmpty() ? 0 : 1);
    if (ways != 1) {
      reader.faults.add(
          "the load: "
              + (ways == 0 ? "missing" : "said in several ways")
              + " (expected: one of rate, load and max)");
      return null;
    }
    if (max) {
      return new Load(null, durationNs, warmUpNs);
    }
    if (rate != null) {
      final Double perSecond = reader.parsed(rate, text -> Stages.number(text, 0));
      if (perSecond == null) {
        return null;
      }
      if (perSecond * durationNs / 1e9 < 1) {
        reader.faults.add(
            rate.where() + ": " + rate.text() + " (expected: a request in the duration)");
        return null;
      }
      return new Load(Schedule.constant(perSecond, durationNs), durationNs, warmUpNs);
    }
    if (reader.settings.get("duration") != null) {
      final Setting duration = reader.settings.get("duration");
      reader.faults.add(
          duration.where() + ": " + duration.text() + " (expected: none beside the stages' own)");
    }
    return stages(warmUpNs);
  }

  private Load stages(long warmUpNs) {
    boolean right = true;
    for (Setting stage : reader.settings.stages()) {
      right &= reader.parsed(stage, Stages::check) != null;
    }
    if (!right) {
      return null;
    }
    final Setting first = reader.settings.stages().get(0);
    final List<String> texts = reader.settings.stages().stream().map(Setting::text).toList();
    final Schedule schedule =
        reader.parsed(
            new Setting(first.where(), String.join(" ", texts)), all -> Stages.parse(texts));
    return schedule == null ? null : new Load(schedule, schedule.durationNs(), warmUpNs);
  }
}

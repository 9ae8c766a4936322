package dev.weir.bench.accuracy;

import dev.weir.bench.accuracy.Results.Row;
import java.util.List;

/** Every scenario and algorithm as comma-separated values, counts rather than shares. */
final class CsvFile {
  private static final List<String> HEADS =
      List.of(
          "traffic",
          "limit",
          "window_ns",
          "load",
          "algorithm",
          "requests",
          "refused",
          "log_alone_refused",
          "own_wrongly_allowed",
          "own_wrongly_refused",
          "alone_wrongly_allowed",
          "alone_wrongly_refused",
          "worst_in_window",
          "early_mean_ns",
          "early_max_ns",
          "meter_requests",
          "meter_wrongly_allowed",
          "meter_wrongly_refused",
          "meter_mean_difference",
          "meter_mean_bias");

  private CsvFile() {}

  static String text(Results results) {
    final StringBuilder text = new StringBuilder(String.join(",", HEADS)).append('\n');
    results.rows().forEach(row -> text.append(line(row)).append('\n'));
    return text.toString();
  }

  private static String line(Row row) {
    final Scenario scenario = row.scenario();
    final Tally tally = row.tally();
    final String counts =
        joined(
            scenario.traffic().label(),
            scenario.limit(),
            scenario.windowNs(),
            Numbers.plain(scenario.load()),
            '"' + row.algorithm().label() + '"',
            tally.requests(),
            tally.refused(),
            tally.refusedAlone(),
            tally.ownWronglyAllowed(),
            tally.ownWronglyRefused(),
            tally.aloneWronglyAllowed(),
            tally.aloneWronglyRefused(),
            tally.worst(),
            Math.round(tally.earlyMeanNs()),
            tally.earlyMaxNs());
    final MeterTally meter = row.meter();
    if (meter == null) {
      return counts + ",,,,,";
    }
    return counts
        + ','
        + joined(
            meter.requests(),
            meter.wronglyAllowed(),
            meter.wronglyRefused(),
            meter.requests() == 0 ? "" : meter.meanDifference(),
            meter.requests() == 0 ? "" : meter.meanSigned());
  }

  private static String joined(Object... values) {
    final StringBuilder line = new StringBuilder();
    for (Object value : values) {
      line.append(line.length() == 0 ? "" : ",").append(value);
    }
    return line.toString();
  }
}

package dev.weir.bench.accuracy;

import java.util.List;

/** Everything that was measured, in the order of measuring. */
record Results(Settings settings, List<Row> rows, List<EdgeRow> edges, List<SweepPoint> sweep) {

  /**
   * One algorithm in one scenario.
   *
   * @param meter null unless the algorithm {@link Algorithm#approximateCount} and the limit is
   *     {@link Scenario#LIMIT}.
   */
  record Row(Scenario scenario, Algorithm algorithm, Tally tally, MeterTally meter) {}

  /** One algorithm against clients who know where windows end. */
  record EdgeRow(Algorithm algorithm, Tally bursts, Tally flood) {}

  /**
   * The sliding counter on Zipf traffic whose busiest key has this load.
   *
   * @param nearShare of all requests: those of keys whose load is from 0.75 to 1.25.
   */
  record SweepPoint(double load, double nearShare, Tally tally, MeterTally meter) {}

  Row row(Traffic traffic, int limit, long windowNs, double load, Algorithm algorithm) {
    final Scenario scenario = new Scenario(traffic, limit, windowNs, load);
    for (Row row : rows) {
      if (row.algorithm == algorithm && row.scenario.equals(scenario)) {
        return row;
      }
    }
    throw new IllegalArgumentException("not measured: " + scenario.label());
  }

  EdgeRow edge(Algorithm algorithm) {
    return edges.stream().filter(row -> row.algorithm == algorithm).findFirst().orElseThrow();
  }
}

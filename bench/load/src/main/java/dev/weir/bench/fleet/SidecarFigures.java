package dev.weir.bench.fleet;

/**
 * The counts of sidecars about the store, as their {@code /metrics} tell them.
 *
 * @param operations of the store: checks, asks and what was given back.
 * @param calls of the script, each with a batch of operations.
 * @param byHand decisions of mode leased by what was in hand.
 * @param bySpacing refusals of mode leased between two asks.
 * @param died units that could neither be used nor given back.
 */
record SidecarFigures(long operations, long calls, long byHand, long bySpacing, long died) {
  static final SidecarFigures NONE = new SidecarFigures(0, 0, 0, 0, 0);

  static SidecarFigures parse(String metrics) {
    return new SidecarFigures(
        value(metrics, "weir_store_checks_total"),
        value(metrics, "weir_store_batches_total"),
        value(metrics, "weir_store_lease_decisions_total{by=\"hand\"}"),
        value(metrics, "weir_store_lease_decisions_total{by=\"spacing\"}"),
        value(metrics, "weir_store_lease_units_died_total"));
  }

  private static long value(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("metrics without " + name + " (expected: one)"));
  }

  SidecarFigures plus(SidecarFigures other) {
    return new SidecarFigures(
        operations + other.operations,
        calls + other.calls,
        byHand + other.byHand,
        bySpacing + other.bySpacing,
        died + other.died);
  }

  SidecarFigures minus(SidecarFigures before) {
    return new SidecarFigures(
        operations - before.operations,
        calls - before.calls,
        byHand - before.byHand,
        bySpacing - before.bySpacing,
        died - before.died);
  }

  /**
   * Decisions that did not wait for the store. Refusals that its last answer proved are not among
   * them: sidecars count those for proxied requests only.
   */
  long local() {
    return byHand + bySpacing;
  }
}

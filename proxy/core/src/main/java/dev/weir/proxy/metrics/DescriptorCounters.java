package dev.weir.proxy.metrics;

/**
 * The hits on one limit of Envoy's rate-limit service on one event loop. Written by that loop only,
 * read by any thread.
 */
public final class DescriptorCounters {
  /** The beginning of a metric's name, before the outcome. */
  static final String PREFIX = "ratelimit_service_rate_limit_";

  private final Counters counters = new Counters(Outcome.values().length);

  DescriptorCounters() {}

  /** Adds hits that had an outcome. */
  public void add(Outcome outcome, long hits) {
    counters.add(outcome.ordinal(), hits);
  }

  /** The hits that had that outcome so far. */
  public long count(Outcome outcome) {
    return counters.getAcquire(outcome.ordinal());
  }

  /** The outcomes of hits: each is counted in all that apply. */
  public enum Outcome {
    TOTAL_HITS("Hits on a limit."),
    OVER_LIMIT("Hits over a limit."),
    NEAR_LIMIT("Hits within a limit, above 80 % of it."),
    WITHIN_LIMIT("Hits of calls that were within a limit."),
    SHADOW_MODE("Hits over a limit in shadow mode.");

    private final String help;

    Outcome(String help) {
      this.help = help;
    }

    String figure() {
      return PREFIX + LabelText.of(this);
    }

    String help() {
      return help;
    }
  }
}

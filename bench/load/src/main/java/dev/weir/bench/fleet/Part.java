package dev.weir.bench.fleet;

import java.util.Locale;

/** A part of {@code weir bench fleet}, with its defaults. */
enum Part {
  /** The modes beside each other, under a load that the limit bears. */
  LOAD(8, "10000/1s", 0.95, 1),
  /** Modes that need the store, under more load than the limit bears, while things go wrong. */
  FAULTS(4, "1000/1s", 1.3, 2),
  /** Many requests at one moment. */
  AT_ONCE(4, "10/1m", 1, 1),
  /** The cost of a proxied request for one sidecar. */
  PROXIED(1, "5000/1s", 0.2, 8);

  private final int sidecars;
  private final String limit;
  private final double load;
  private final int keys;

  Part(int sidecars, String limit, double load, int keys) {
    this.sidecars = sidecars;
    this.limit = limit;
    this.load = load;
    this.keys = keys;
  }

  int sidecars() {
    return sidecars;
  }

  String limit() {
    return limit;
  }

  double load() {
    return load;
  }

  int keys() {
    return keys;
  }

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

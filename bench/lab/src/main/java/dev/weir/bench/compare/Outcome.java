package dev.weir.bench.compare;

import java.util.Locale;

/** The fate of every request of a round: all pass, or all are refused. */
enum Outcome {
  /** The request reaches the upstream, whose answer is passed on. */
  PASS,
  /** The request is answered 429. */
  REFUSE;

  /** The name on the command line and in reports. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

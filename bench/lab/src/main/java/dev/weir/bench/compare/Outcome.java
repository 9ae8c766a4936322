package dev.weir.bench.compare;

import java.util.Locale;

/** What becomes of every request. */
enum Outcome {
  /** It reaches the upstream, whose answer is passed on. */
  PASS,
  /** It is answered 429. */
  REFUSE;

  /** The name on the command line and in reports. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

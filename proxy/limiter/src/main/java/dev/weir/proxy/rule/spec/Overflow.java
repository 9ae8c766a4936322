package dev.weir.proxy.rule.spec;

import java.util.Locale;

/** The way in which a leaky bucket treats requests that come faster than it leaks. */
public enum Overflow {
  /** Passes them at once while there is room, and refuses the others. */
  REJECT,
  /** Passes them at the rate, each held until its slot. */
  QUEUE;

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package dev.weir.proxy.rule.spec;

import java.util.Locale;

/** The substitute for a part of the key that a request lacks. */
public enum OnMissingKey {
  /** The client's address: the default. */
  IP,
  /** Nothing: all requests without it share one budget. */
  SHARED,
  /**
   * Nothing can: the request is refused with 401 before any limit. An empty value counts as
   * missing.
   */
  REFUSE;

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

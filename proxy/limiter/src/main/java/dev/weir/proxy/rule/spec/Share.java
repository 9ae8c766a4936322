package dev.weir.proxy.rule.spec;

import java.util.Locale;

/** The part of a limit that one sidecar of a fleet may let pass by itself. */
public enum Share {
  /** All of it: a fleet lets pass as many times as much as it has sidecars. */
  NONE,

  /** Its part: the limit divided by the sidecars that share the store, as last counted. */
  AUTO;

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

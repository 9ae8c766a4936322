package dev.weir.proxy.rule.spec;

import java.util.Locale;

/** The failure policy of limits that the store decides: for while it gives no decision. */
public enum OnStoreFailure {
  /** This node decides by its share: the limit divided by the sidecars last counted. */
  LOCAL_SHARE,

  /** Every request passes. */
  OPEN,

  /** No request passes. */
  CLOSED;

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

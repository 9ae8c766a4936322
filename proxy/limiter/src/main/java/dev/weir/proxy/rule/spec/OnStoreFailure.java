package dev.weir.proxy.rule.spec;

/** The failure policy of a limit: what decides while the store does not. */
public enum OnStoreFailure {
  /** This node decides by its share: the limit divided by the sidecars last counted. */
  LOCAL_SHARE("local-share"),

  /** Every request passes. */
  OPEN("open"),

  /** No request passes. */
  CLOSED("closed");

  private final String text;

  OnStoreFailure(String text) {
    this.text = text;
  }

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return text;
  }
}

package dev.weir.bench.load;

/** Why a request has no whole answer. */
public enum Failure {
  TIMEOUT("timed out"),
  /** No connection had room for it within the time-out. */
  NOT_STARTED("not started in time"),
  CLOSED("connection closed"),
  MALFORMED("malformed answer"),
  RESET("stream reset");

  private final String text;

  Failure(String text) {
    this.text = text;
  }

  /** The failure as reports say it. */
  @Override
  public String toString() {
    return text;
  }
}

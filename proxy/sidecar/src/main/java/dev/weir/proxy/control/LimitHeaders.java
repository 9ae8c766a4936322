package dev.weir.proxy.control;

/** Which fields Envoy adds to a response: they tell of the limit that is closest to its end. */
public enum LimitHeaders {
  OFF("off"),
  /** {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}. */
  X_RATELIMIT("x-ratelimit"),
  /** {@code RateLimit-Limit}, {@code -Remaining} and {@code -Reset}: envoyproxy/ratelimit's. */
  DRAFT06("draft06"),
  /** {@code RateLimit-Policy} and {@code RateLimit}. */
  DRAFT11("draft11");

  private final String text;

  LimitHeaders(String text) {
    this.text = text;
  }

  /** The name in files. */
  @Override
  public String toString() {
    return text;
  }
}

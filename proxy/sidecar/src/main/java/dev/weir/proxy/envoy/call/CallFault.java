package dev.weir.proxy.envoy.call;

/** Why a call cannot be decided: an error of its caller, and nothing is charged. */
enum CallFault {
  NO_MESSAGE("not a RateLimitRequest"),
  NO_DOMAIN("domain: empty (expected: the domain of a file)"),
  NO_DESCRIPTORS("descriptors: none (expected: 1 or more)"),
  TOO_MANY(
      "descriptors: too many (expected: at most "
          + RateLimitCall.MAX_DESCRIPTORS
          + ", of at most "
          + RateLimitCall.MAX_ENTRIES
          + " entries together)"),
  TOO_LONG(
      "descriptors: too long (expected: keys and values of at most "
          + RateLimitCall.MAX_TEXT_BYTES
          + " bytes each, and of at most "
          + RateLimitCall.MAX_CALL_TEXT_BYTES
          + " together)"),
  NO_UNIT("descriptors.limit.unit: not known (expected: SECOND to WEEK)");

  private final String text;

  CallFault(String text) {
    this.text = text;
  }

  /** The value that was found, and what was expected. */
  String text() {
    return text;
  }
}

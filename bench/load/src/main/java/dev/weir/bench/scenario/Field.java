package dev.weir.bench.scenario;

import dev.weir.proxy.rule.spec.BadValueException;

/**
 * A header field of every request.
 *
 * @param name a token of RFC 9110.
 * @param value may hold {@code {key}}; {@code {trace}} alone is a trace context (W3C) of its own
 *     for each request over HTTP/2, and stands in {@code traceparent} only.
 */
public record Field(String name, String value) {
  private static final String TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";

  private static final String TRACE = "{trace}";
  private static final String TRACE_FIELD = "traceparent";

  public Field {
    if (!name.matches(TOKEN)) {
      throw new BadValueException(name, "a field's name, such as X-User-Id");
    }
    if (!value.matches("[\\x20-\\x7e\\x80-\\xff\\t]*")) {
      throw new BadValueException(value, "a field's value, without control characters");
    }
    if (value.contains(TRACE) && !(value.equals(TRACE) && name.equalsIgnoreCase(TRACE_FIELD))) {
      throw new BadValueException(
          name + ": " + value, TRACE_FIELD + ": " + TRACE + ", the only place of a trace");
    }
  }

  /** Whether the value is a trace context of its own for each request. */
  public boolean takesTrace() {
    return value.equals(TRACE);
  }

  /** Reads {@code Name: value}. */
  static Field parse(String text) {
    final int colon = text.indexOf(':');
    if (colon < 1) {
      throw new BadValueException(text, "NAME: VALUE");
    }
    return new Field(text.substring(0, colon).trim(), text.substring(colon + 1).trim());
  }
}

package dev.weir.bench.scenario;

import dev.weir.proxy.rule.BadValueException;

/**
 * A header field of every request.
 *
 * @param name a token of RFC 9110.
 * @param value may hold {@code {key}}.
 */
public record Field(String name, String value) {
  private static final String TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";

  public Field {
    if (!name.matches(TOKEN)) {
      throw new BadValueException(name, "a field's name, such as X-User-Id");
    }
    if (!value.matches("[\\x20-\\x7e\\x80-\\xff\\t]*")) {
      throw new BadValueException(value, "a field's value, without control characters");
    }
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

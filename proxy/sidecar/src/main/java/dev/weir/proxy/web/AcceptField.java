package dev.weir.proxy.web;

import java.util.Locale;

/**
 * Reads what a client's Accept field says of the two forms that a page may have (RFC 9110, 12.5.1).
 */
final class AcceptField {
  private AcceptField() {}

  /**
   * Whether HTML is named, and no less wanted than text: true for browsers, false for what takes
   * anything, as curl does.
   *
   * @param accept null for none.
   */
  static boolean prefersHtml(String accept) {
    double html = quality(accept, "text/html");
    return html > 0 && html >= quality(accept, "text/plain");
  }

  /** The weight of a type; 0 if it is not named, or its weight is no number. */
  private static double quality(String accept, String type) {
    for (String item : accept == null ? new String[0] : accept.split(",")) {
      String[] parts = item.toLowerCase(Locale.ROOT).split(";", -1);
      if (parts[0].strip().equals(type)) {
        for (String parameter : parts) {
          String text = parameter.strip();
          if (text.startsWith("q=")) {
            return text.matches("q=[01](\\.[0-9]{0,3})?")
                ? Double.parseDouble(text.substring(2))
                : 0;
          }
        }
        return 1;
      }
    }
    return 0;
  }
}

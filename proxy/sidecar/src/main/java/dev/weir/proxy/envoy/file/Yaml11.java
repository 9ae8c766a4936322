package dev.weir.proxy.envoy.file;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Set;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * The meaning of scalars in YAML 1.1, in which such files are written: {@code yes}, {@code on} and
 * {@code no} are booleans where one is expected, and any scalar is a text where one is.
 */
final class Yaml11 {
  private static final String TRUE = "y|Y|yes|Yes|YES|on|On|ON|true|True|TRUE";
  private static final String FALSE = "n|N|no|No|NO|off|Off|OFF|false|False|FALSE";
  private static final Set<String> NULL = Set.of("", "~", "null", "Null", "NULL");

  private Yaml11() {}

  /** Whether a node is null, which means the same as if its key were absent. */
  static boolean isNull(Node node) {
    return node instanceof ScalarNode scalar
        && scalar.getScalarStyle() == ScalarStyle.PLAIN
        && NULL.contains(scalar.getValue());
  }

  /** Parses a boolean; null if the text is none. */
  static Boolean parseBoolean(String text) {
    return text.matches(TRUE) ? Boolean.TRUE : text.matches(FALSE) ? Boolean.FALSE : null;
  }

  /** Parses an integer: decimal, hexadecimal, octal or binary, or 1e3; null if the text is none. */
  static BigInteger parseInteger(String text) {
    String digits = text.replace("_", "");
    if (digits.length() > 40) {
      return null;
    }
    try {
      if (digits.matches("0[xX][0-9a-fA-F]+")) {
        return new BigInteger(digits.substring(2), 16);
      }
      if (digits.matches("0[bB][01]+")) {
        return new BigInteger(digits.substring(2), 2);
      }
      if (digits.matches("0[oO]?[0-7]+")) {
        return new BigInteger(digits.replaceFirst("0[oO]?", ""), 8);
      }
      if (digits.matches("[-+]?[0-9]+(\\.[0-9]*)?([eE][-+]?[0-9]{1,2})?")) {
        return new BigDecimal(digits).toBigIntegerExact();
      }
    } catch (NumberFormatException | ArithmeticException fraction) {
      return null;
    }
    return null;
  }
}

package dev.weir.proxy.decision;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.KeyPart;
import java.util.concurrent.ConcurrentHashMap;

/** The names of dimensions, each read once. */
final class Dimensions {
  private static final int MAX_KNOWN = 1_000;
  private static final ConcurrentHashMap<String, String> CANONICAL = new ConcurrentHashMap<>();

  private Dimensions() {}

  /** The name as rules have it; null if no key of a rule can have it. */
  static String canonical(String name) {
    String known = CANONICAL.get(name);
    if (known != null) {
      return known;
    }
    try {
      String canonical = KeyPart.parse(name).toString();
      if (CANONICAL.size() < MAX_KNOWN) {
        CANONICAL.put(name, canonical);
      }
      return canonical;
    } catch (BadValueException bad) {
      return null;
    }
  }
}

package dev.weir.bench.torture.plan;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The identities of a request by which a limit counts.
 *
 * @param parts indices of the fields that it is made of; empty for all requests together.
 * @param named whether it is written as the name of an identity, where it has one.
 */
public record KeyPlan(List<Integer> parts, boolean named) {
  /** The fields of a request that carry its identities. */
  public static final List<String> FIELDS = List.of("x-a", "x-b", "x-c");

  /** A field that, where a request has it, says what the first field says. */
  public static final String OTHER_FIRST = "x-d";

  private static final List<Integer> FIRST = List.of(0);
  private static final List<Integer> PAIR = List.of(1, 2);

  static KeyPlan of(Integer... parts) {
    return new KeyPlan(List.of(parts), false);
  }

  /** The section of settings that has all names. */
  public static String identities() {
    return """
        identities:
          who: {first-of: [%s, %s]}
          pair: [%s, %s]
        """
        .formatted(
            source(OTHER_FIRST),
            source(FIELDS.get(0)),
            source(FIELDS.get(1)),
            source(FIELDS.get(2)));
  }

  private static String source(String field) {
    return "header:" + field;
  }

  /** Whether it is one budget for all requests. */
  public boolean isAll() {
    return parts.isEmpty();
  }

  /** The identity that a request has by this key. */
  public String who(List<Integer> identities) {
    return parts.stream()
        .map(part -> FIELDS.get(part) + "=" + identities.get(part) + " ")
        .collect(Collectors.joining());
  }

  String yaml() {
    if (parts.isEmpty()) {
      return "all";
    }
    if (named && parts.equals(FIRST)) {
      return "who";
    }
    if (named && parts.equals(PAIR)) {
      return "pair";
    }
    return parts.stream()
        .map(part -> source(FIELDS.get(part)))
        .collect(Collectors.joining(", ", "[", "]"));
  }
}

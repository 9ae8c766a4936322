package dev.weir.proxy.rule;

import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.spec.CidrSet;
import dev.weir.proxy.rule.spec.FieldCondition;
import dev.weir.proxy.rule.spec.MatchSpec;
import java.nio.charset.StandardCharsets;

/** The conditions of a rule beside host and path. Immutable; any thread. */
final class RuleConditions {
  static final String METHODS = "methods";
  static final String CIDR = "cidr";

  private final byte[][] methods;
  private final FieldCondition[] fields;

  /** Null for every network. */
  private final CidrSet networks;

  RuleConditions(MatchSpec match) {
    methods =
        match.methods().stream()
            .map(method -> method.getBytes(StandardCharsets.US_ASCII))
            .toArray(byte[][]::new);
    fields = match.fields().toArray(FieldCondition[]::new);
    networks = match.cidr().isEmpty() ? null : CidrSet.of(match.cidr());
  }

  /** Whether a request fulfils all of them. */
  boolean hold(MatchedRequest request) {
    if (methods.length > 0 && !holdsMethod(request.view())) {
      return false;
    }
    for (FieldCondition field : fields) {
      if (!request.fulfils(field)) {
        return false;
      }
    }
    return networks == null || request.isWithin(networks);
  }

  /**
   * The first one that a request does not fulfil, as a field of {@code match}: {@link #METHODS},
   * {@link #CIDR}, or the condition on a header or parameter; null if it fulfils all.
   */
  Object failed(MatchedRequest request) {
    if (methods.length > 0 && !holdsMethod(request.view())) {
      return METHODS;
    }
    for (FieldCondition field : fields) {
      if (!request.fulfils(field)) {
        return field;
      }
    }
    return networks == null || request.isWithin(networks) ? null : CIDR;
  }

  private boolean holdsMethod(RequestView request) {
    for (byte[] method : methods) {
      if (Ascii.equals(request.bytes(), request.methodOffset(), request.methodLength(), method)) {
        return true;
      }
    }
    return false;
  }
}

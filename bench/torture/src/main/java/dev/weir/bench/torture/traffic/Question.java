package dev.weir.bench.torture.traffic;

import dev.weir.bench.torture.judge.Asked;
import dev.weir.bench.torture.plan.Condition;
import dev.weir.bench.torture.plan.CostPlan;
import dev.weir.bench.torture.plan.KeyPlan;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What an honest client asks once.
 *
 * @param number tells the service who asks.
 * @param path with its slash.
 * @param identities the values of the three fields.
 * @param bodyLength 0 for a request without content.
 * @param chunked whether its content, and that of the answer, has no length told.
 * @param slow whether the service takes its time.
 * @param cost that it says; 0 for none.
 * @param retryOf the number of the question whose idempotency key it has; {@link Asked#NO_KEY} for
 *     none.
 */
record Question(
    long number,
    String path,
    List<Integer> identities,
    int bodyLength,
    boolean chunked,
    boolean slow,
    int cost,
    long retryOf) {
  static final String NUMBER = "x-number";
  static final String CONDUCT = "x-conduct";

  /** A question without content, of which nothing else is known. */
  Question(String path, List<Integer> identities) {
    this(0, path, identities, 0, false, false, 0, Asked.NO_KEY);
  }

  /** The path with its query. */
  String target() {
    return path + Condition.REQUESTED_QUERY;
  }

  /** The idempotency key; empty for none. */
  String key() {
    return retryOf == Asked.NO_KEY ? "" : "key-" + retryOf;
  }

  /** All fields of a request that rules read. */
  Map<String, String> allFields() {
    final Map<String, String> fields = fields();
    if (cost > 0) {
      fields.put(CostPlan.FIELD, Integer.toString(cost));
    }
    if (!key().isEmpty()) {
      fields.put("idempotency-key", key());
    }
    return fields;
  }

  /** The fields that tell who asks for what: of identities and of conditions. */
  Map<String, String> fields() {
    final Map<String, String> fields = new LinkedHashMap<>();
    fields.put(Condition.FIELD, Condition.FIELD_VALUE);
    for (int i = 0; i < KeyPlan.FIELDS.size(); i++) {
      fields.put(KeyPlan.FIELDS.get(i), Integer.toString(identities.get(i)));
    }
    if (number % 2 == 0) {
      fields.put(KeyPlan.OTHER_FIRST, Integer.toString(identities.get(0)));
    }
    return fields;
  }
}

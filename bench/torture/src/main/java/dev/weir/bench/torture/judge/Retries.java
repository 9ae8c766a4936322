package dev.weir.bench.torture.judge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The requests that have one idempotency key, in the order in which their client sent them. */
final class Retries {
  /** A grant is used again so often (docs/configuration.md). */
  private static final int AGAIN = 3;

  private final Map<Long, List<Asked>> byKey = new HashMap<>();

  Retries(List<Asked> asked) {
    for (Asked each : asked) {
      // A refused request is decided anew.
      if (each.retryOf() != Asked.NO_KEY
          && each.outcome() != Asked.Outcome.REFUSED
          && each.outcome() != Asked.Outcome.NOT_SENT) {
        byKey.computeIfAbsent(each.retryOf(), any -> new ArrayList<>()).add(each);
      }
    }
  }

  /** Whether a request may have had the grant of one before. */
  boolean mayBeFree(Asked asked) {
    return asked.retryOf() != Asked.NO_KEY && before(asked).size() % (AGAIN + 1) != 0;
  }

  /** Whether a request must have the grant of one before. */
  boolean isFree(Asked asked) {
    final List<Asked> before = before(asked);
    return !before.isEmpty()
        && before.size() <= AGAIN
        && before.stream().allMatch(each -> each.outcome() == Asked.Outcome.PASSED);
  }

  private List<Asked> before(Asked asked) {
    return byKey.getOrDefault(asked.retryOf(), List.of()).stream()
        .filter(each -> each.sentNs() < asked.sentNs())
        .toList();
  }
}

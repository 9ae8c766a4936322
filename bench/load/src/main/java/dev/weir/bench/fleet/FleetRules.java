package dev.weir.bench.fleet;

import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import java.util.List;
import java.util.Locale;

/** The rules of a fleet's sidecars: one for each mode and limit, found by its name in the path. */
final class FleetRules {
  private final StringBuilder text = new StringBuilder();
  private final long deadlineMs;

  /**
   * @param deadlineMs for a decision of the store.
   */
  FleetRules(long deadlineMs) {
    this.deadlineMs = deadlineMs;
  }

  /** Adds a rule of that name, with the budgets of {@code X-User-Id}; undecided is refused. */
  FleetRules add(String name, Mode mode, LimitSpec limit) {
    text.append(
        String.format(
            Locale.ROOT,
            "  - {id: %s, match: {path: /%s}, key: 'header:x-user-id', algorithm: %s, limit: %s,"
                + " mode: %s%s%s}\n",
            name,
            name,
            limit.algorithm(),
            limit.rate(),
            mode,
            limit.burst() == 0 ? "" : ", burst: " + limit.burst(),
            mode.needsStore() ? ", on-store-failure: closed" : ""));
    return this;
  }

  /** Settings of a sidecar with these rules, over those stores, but for its addresses. */
  String settings(List<Integer> storePorts) {
    final List<String> nodes =
        storePorts.stream().map(port -> "\"127.0.0.1:" + port + "\"").toList();
    return "service: fleet\nevent-loops: 1\ntrusted-proxies: [127.0.0.1/32]\nredis:\n"
        + (nodes.size() > 1 ? "  topology: sharded\n" : "")
        + "  nodes: "
        + nodes
        + "\n  deadline: "
        + deadlineMs
        + "ms\nrules:\n"
        + text;
  }
}

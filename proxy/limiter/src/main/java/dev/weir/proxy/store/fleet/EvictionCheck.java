package dev.weir.proxy.store.fleet;

import dev.weir.proxy.log.PeerText;
import java.util.HashMap;
import java.util.Map;

/** Whether a server may drop keys that have not expired. */
public final class EvictionCheck {
  private EvictionCheck() {}

  /**
   * A warning for the operator; null if there is none.
   *
   * @param info the answer of {@code INFO memory}.
   */
  public static String warning(String server, String info) {
    Map<String, String> fields = new HashMap<>();
    info.lines()
        .forEach(
            line -> {
              int colon = line.indexOf(':');
              if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
              }
            });
    String policy = fields.getOrDefault("maxmemory_policy", "noeviction");
    if (policy.equals("noeviction") || fields.getOrDefault("maxmemory", "0").equals("0")) {
      return null;
    }
    return "redis "
        + server
        + ": maxmemory-policy: "
        + PeerText.shown(policy)
        + " (expected: noeviction): when its memory is full it forgets budgets, and their clients"
        + " start afresh";
  }
}

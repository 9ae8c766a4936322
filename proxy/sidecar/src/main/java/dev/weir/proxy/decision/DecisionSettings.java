package dev.weir.proxy.decision;

import dev.weir.proxy.downstream.ListenerSettings;
import java.nio.file.Path;
import java.util.List;

/**
 * The listeners of the decision API, and who may ask.
 *
 * @param listeners none, if nobody may.
 * @param tokens a file of them, one a line; null if there are none.
 * @param tokensForAll whether all that asks needs one, and not only what changes something.
 */
public record DecisionSettings(
    List<ListenerSettings> listeners, Path tokens, boolean tokensForAll) {
  public DecisionSettings {
    listeners = List.copyOf(listeners);
  }

  /** Whether anybody may ask. */
  public boolean isConfigured() {
    return !listeners.isEmpty();
  }
}

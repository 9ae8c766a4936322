package dev.weir.proxy.decision;

import dev.weir.proxy.downstream.ListenerSettings;
import java.nio.file.Path;
import java.util.List;

/**
 * The settings of the decision API.
 *
 * @param listeners empty if there is no decision API.
 * @param tokens a file with one token a line; null if there is none.
 * @param tokensForAll whether every call needs a token, and not only resets.
 */
public record DecisionSettings(
    List<ListenerSettings> listeners, Path tokens, boolean tokensForAll) {
  public DecisionSettings {
    listeners = List.copyOf(listeners);
  }

  /** Whether there is a decision API. */
  public boolean isConfigured() {
    return !listeners.isEmpty();
  }
}

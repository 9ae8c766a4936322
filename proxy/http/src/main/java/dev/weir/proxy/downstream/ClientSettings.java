package dev.weir.proxy.downstream;

import dev.weir.proxy.downstream.answer.AnswerSettings;
import java.util.List;

/**
 * The settings for clients.
 *
 * @param listeners one or more.
 */
public record ClientSettings(
    List<ListenerSettings> listeners,
    ClientTimeouts timeouts,
    ClientCaps caps,
    AnswerSettings answers) {
  public ClientSettings {
    listeners = List.copyOf(listeners);
  }

  /** These settings with other caps. */
  public ClientSettings with(ClientCaps others) {
    return new ClientSettings(listeners, timeouts, others, answers);
  }
}

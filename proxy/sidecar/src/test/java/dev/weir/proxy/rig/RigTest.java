package dev.weir.proxy.rig;

import org.junit.jupiter.api.AfterEach;

/**
 * A test that starts one {@link Rig}. Whatever happens in the test, at its end nothing is in
 * flight, nobody is left, and there was no internal error. What the test itself still holds it lets
 * go in an {@code @AfterEach} of its own, which runs before the one here.
 */
public abstract class RigTest {
  protected Rig rig;

  /**
   * @param flags a flag, its value, and so on.
   */
  protected final Rig start(String transport, String... flags) throws Exception {
    rig = new Rig(transport, flags);
    return rig;
  }

  @AfterEach
  protected final void nothingIsLeft() throws Exception {
    try (Rig ended = rig) {
      ended.await("weir_requests_in_flight", 0);
      ended.await("weir_connections_open", 0);
      ended.await("weir_upstream_waiting", 0);
      ended.await("weir_upstream_streams_open", 0);
    }
  }
}

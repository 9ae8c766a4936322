package dev.weir.proxy.store.fleet;

import java.util.List;

/**
 * Follows records by the heartbeats: each asks what has changed since the one before. Called by the
 * thread that counts the sidecars.
 */
public interface ChangeFeed {
  /**
   * Begins.
   *
   * @param beatSoon has the next heartbeat sent at once. Any thread may run it.
   */
  void begin(Runnable beatSoon);

  /** The keys of the records, as {@code beat.lua} has them behind those of the count. */
  byte[][] keys();

  /**
   * What is known, as {@code beat.lua} has it behind the arguments of the count.
   *
   * @param sidecar the id of this sidecar.
   * @param leaves whether this is the last heartbeat.
   */
  byte[][] arguments(String sidecar, boolean leaves);

  /**
   * Takes the answer to a heartbeat.
   *
   * @param answer the reply behind that of the count.
   */
  void answered(List<?> answer);
}

package dev.weir.proxy.store.fleet;

/** Learns how many sidecars share the store. */
@FunctionalInterface
public interface PeerListener {
  /**
   * The count has changed.
   *
   * @param count of all sidecars, this one included: 1 or more.
   * @param rank how many of them are older than this one; less than {@code count}.
   */
  void counted(int count, int rank);
}

package dev.weir.proxy.store.fleet;

/** Is told of the sidecars that share the store. */
@FunctionalInterface
public interface PeerListener {
  /**
   * There are other sidecars than before.
   *
   * @param count of all, this one included: 1 or more.
   * @param rank how many of them were there before this one; less than {@code count}.
   */
  void counted(int count, int rank);
}

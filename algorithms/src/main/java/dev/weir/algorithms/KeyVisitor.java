package dev.weir.algorithms;

/** Takes the keys of a table, one by one; see {@link LimitTable#forEach}. */
@FunctionalInterface
public interface KeyVisitor {
  /**
   * @param keyHash a key that something counts against.
   * @param expiresAtNs when nothing does any more if nothing else comes; for algorithms that count
   *     in windows, up to a window late.
   */
  void key(long keyHash, long expiresAtNs);
}

package dev.weir.proxy.request;

/** Is told of the decision API's calls on one event loop, by that loop only. Must not allocate. */
public interface DecisionObserver {
  void callStarted(DecisionCall what);

  /**
   * The call that was started, or one before it, has ended.
   *
   * @param grpcStatus with which it was answered; of a request of HTTP, what comes nearest.
   */
  void callEnded(DecisionCall what, int grpcStatus);

  /**
   * A caller has told its own time; both count from the epoch of Unix.
   *
   * @param seconds of any size.
   * @param nanos of any size.
   */
  default void clientTime(long seconds, int nanos, long nowNs) {}
}

package dev.weir.proxy.request;

/** Observes the decision API's calls on one event loop, on that loop. Must not allocate. */
public interface DecisionObserver {
  void callStarted(DecisionCall what);

  /**
   * A call has ended.
   *
   * @param grpcStatus of its answer; for HTTP the status that corresponds.
   */
  void callEnded(DecisionCall what, int grpcStatus);

  /**
   * A caller has sent its own time, since the Unix epoch, as {@code nowNs} is.
   *
   * @param seconds of any size.
   * @param nanos of any size.
   */
  default void clientTime(long seconds, int nanos, long nowNs) {}
}

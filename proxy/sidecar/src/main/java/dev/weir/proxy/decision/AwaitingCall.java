package dev.weir.proxy.decision;

/** A call, of whatever protocol, that keeps for who answers it what its answer waits for. */
public interface AwaitingCall {
  /** Keeps something with the call that is wanted again. */
  void attach(Object kept);

  /** What was attached; null if nothing was. */
  Object attachment();
}

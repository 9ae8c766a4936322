package dev.weir.proxy.store;

/** Is told what becomes of its batches; on the event loop. */
interface BatchOwner {
  /** The server has answered. */
  void answered(Batch batch);

  /** The connection was lost with the batch on it. */
  void lost(Batch batch);

  /** The batch was not written to any connection. */
  void unsent(Batch batch);

  /** The first requests of a batch did not get their decision in time. */
  void expired(Batch batch, long nowNs);

  /** Nobody waits for a batch any more; what it gives back still goes. */
  void abandoned(Batch batch);

  /** Gives back what was granted too late for its requests. */
  void giveBack(StoreQuestion refund);
}

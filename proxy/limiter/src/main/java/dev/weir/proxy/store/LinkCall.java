package dev.weir.proxy.store;

import io.lettuce.core.protocol.RedisCommand;

/** A call as a connection to a server takes it. It comes to one end, and is told of it once. */
interface LinkCall extends RedisCommand<byte[], byte[], byte[]> {
  /** Whether it goes to where the slot is on its way to: the server has to let it in, once. */
  boolean isAsking();

  /** Whether it still has to be sent; forgets what nobody waits for any more. */
  boolean isNeeded();

  /** The call cannot be written to where it was to go, or need not be any more. */
  void unsent();

  /** Tells its owner how it has ended; see {@link EndedCalls}. */
  void tell();
}

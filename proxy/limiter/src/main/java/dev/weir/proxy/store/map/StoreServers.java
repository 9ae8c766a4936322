package dev.weir.proxy.store.map;

import java.net.SocketAddress;

/** The store's servers as they are known now, for callers that wait. Any thread. */
public interface StoreServers {
  /** The server of a partition; null if none has it now. */
  SocketAddress of(int partition);

  /** Asks for the servers to be read again soon, as a call has found them changed. */
  void refresh();

  /** Connections that only such callers use. */
  StoreCalls calls();

  /** Connections for reads of users only, so that no longer call holds these up. */
  StoreCalls userCalls();
}

package dev.weir.proxy.store;

/** Is told what becomes of the connections to servers; on their event loop. */
interface LinkListener {
  /** The connection is open, and the script has been tried. */
  void ready(StoreLink link);

  /** The server decides, as far as is known: what is owed may be sent to it. */
  void takesDebts(StoreLink link, long nowNs);

  /** The map of the servers may be old. */
  void mapIsOld();

  /** A connection has not been used for a while: one that nobody needs may be closed. */
  void mayBeUnused();
}

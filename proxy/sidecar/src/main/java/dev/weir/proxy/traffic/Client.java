package dev.weir.proxy.traffic;

import java.io.IOException;

/** A client's side of the conversations. */
interface Client {
  /** Sends the next requests of this client. */
  void send() throws IOException;

  /** How many of those that were sent have no answer yet. */
  int openCount();
}

package dev.weir.bench.http2;

import java.io.IOException;

/** What one client does on one connection of HTTP/2, again and again. */
interface Attack {
  /**
   * Writes some of it.
   *
   * @param step how often it was called on this connection, from 0 on.
   */
  void write(FrameSocket client, int step) throws IOException;
}

package dev.weir.bench.origin;

import java.net.InetSocketAddress;

/** A server that answers and does nothing else. */
public interface Sink extends AutoCloseable {
  /** The address that the sink listens on. */
  InetSocketAddress address();

  /** Stops listening. */
  @Override
  void close();
}

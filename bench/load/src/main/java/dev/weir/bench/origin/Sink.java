package dev.weir.bench.origin;

import java.net.InetSocketAddress;

/** A server that answers and does nothing else. */
public interface Sink extends AutoCloseable {
  InetSocketAddress address();

  @Override
  void close();
}

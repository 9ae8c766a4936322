package dev.weir.bench.torture.traffic;

import java.io.IOException;

/** A client's connection to one sidecar. Owned by one thread, which waits for each answer. */
interface Connection extends AutoCloseable {
  /** Asks, and waits for the answer; an exception ends the connection's use. */
  Answer ask(Question question) throws IOException;

  /** Whether another question may be asked. */
  boolean isOpen();

  @Override
  void close();
}

package dev.weir.bench.accuracy;

/** Something that decides request by request. One thread; times never step back. */
interface Limiter extends AutoCloseable {
  /** Whether the request passes; if so, it counts. */
  boolean admit(int key, long nowNs);

  @Override
  void close();
}

package dev.weir.bench.scenario;

/** The content of requests, with a place for the key if it has one. */
public interface Body {
  /** Whether it differs by key. */
  boolean takesKey();

  /** The bytes for a key. */
  byte[] bytes(String key);
}

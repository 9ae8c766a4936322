package dev.weir.bench.scenario;

/** The same bytes for every key. */
record FixedBody(byte[] bytes) implements Body {
  @Override
  public boolean takesKey() {
    return false;
  }

  @Override
  public byte[] bytes(String key) {
    return bytes;
  }
}

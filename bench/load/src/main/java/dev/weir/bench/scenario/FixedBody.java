package dev.weir.bench.scenario;

/** A body of fixed bytes, whatever the key. */
public record FixedBody(byte[] bytes) implements Body {
  @Override
  public boolean takesKey() {
    return false;
  }

  @Override
  public byte[] bytes(String key) {
    return bytes;
  }
}

package dev.weir.bench.scenario;

import java.nio.charset.StandardCharsets;

/**
 * A text in which the key may stand.
 *
 * @param text sent as UTF-8.
 */
record TextBody(String text) implements Body {
  @Override
  public boolean takesKey() {
    return text.contains(RequestSpec.KEY);
  }

  @Override
  public byte[] bytes(String key) {
    return RequestSpec.filled(text, key).getBytes(StandardCharsets.UTF_8);
  }
}

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
    // A key is bytes, as characters of those numbers.
    final String bytes =
        new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    return RequestSpec.filled(bytes, key).getBytes(StandardCharsets.ISO_8859_1);
  }
}

package dev.weir.bench.torture.traffic;

/** The content of a request, which follows from its number, so that each side can check it. */
final class Content {
  private Content() {}

  static byte[] of(long number, int length) {
    final byte[] bytes = new byte[length];
    long state = number * 0x9E3779B97F4A7C15L + length;
    for (int i = 0; i < length; i++) {
      state = state * 6364136223846793005L + 1442695040888963407L;
      bytes[i] = (byte) (state >>> 56);
    }
    return bytes;
  }
}

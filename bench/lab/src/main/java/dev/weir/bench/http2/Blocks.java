package dev.weir.bench.http2;

import dev.weir.proxy.http2.hpack.HpackEncoder;

/** Field blocks of requests, which mean the same on any connection. */
final class Blocks {
  private Blocks() {}

  /** A request's head, with its fields in pairs of a name and a value. */
  static byte[] request(String method, String path, String... fields) {
    final HpackEncoder block =
        new HpackEncoder()
            .add(":method", method)
            .add(":scheme", "http")
            .add(":path", path)
            .add(":authority", "test");
    for (int i = 0; i < fields.length; i += 2) {
      block.add(fields[i], fields[i + 1]);
    }
    return block.bytes();
  }
}

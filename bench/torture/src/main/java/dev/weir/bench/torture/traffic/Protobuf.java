package dev.weir.bench.torture.traffic;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** A message of protobuf that is being written: as much as checks need. */
final class Protobuf {
  private static final int LENGTH_DELIMITED = 2;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  Protobuf text(int field, String text) {
    return bytes(field, text.getBytes(StandardCharsets.UTF_8));
  }

  Protobuf message(int field, Protobuf message) {
    return bytes(field, message.bytes());
  }

  private Protobuf bytes(int field, byte[] bytes) {
    out.write(field << 3 | LENGTH_DELIMITED);
    int length = bytes.length;
    while (length > 127) {
      out.write(length & 127 | 128);
      length >>>= 7;
    }
    out.write(length);
    out.writeBytes(bytes);
    return this;
  }

  byte[] bytes() {
    return out.toByteArray();
  }
}

package dev.weir.bench.torture.traffic;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Reads messages of HTTP/1.1, strictly, of a side that wrote them well. Field names are in lower
 * case; of fields of one name the last stays.
 */
final class HttpInput {
  private static final int HEAD_BYTES_MOST = 1 << 16;

  private final InputStream in;

  /** The first line and the fields of a message. */
  record Head(String line, Map<String, String> fields) {}

  /**
   * The content of a message.
   *
   * @param trailers behind it.
   */
  record Body(byte[] bytes, Map<String, String> trailers) {}

  HttpInput(InputStream in) {
    this.in = new BufferedInputStream(in);
  }

  /**
   * Reads the next head.
   *
   * @return null if the connection ends before its first byte.
   */
  Head head() throws IOException {
    in.mark(1);
    if (in.read() < 0) {
      return null;
    }
    in.reset();
    return new Head(line(), fields());
  }

  private Map<String, String> fields() throws IOException {
    final Map<String, String> fields = new HashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      final int colon = line.indexOf(':');
      if (colon < 1) {
        throw new IOException("no field: " + line);
      }
      fields.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    return fields;
  }

  /** Reads the content that belongs to a head; none if neither a length nor chunks are told. */
  Body body(Head head) throws IOException {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    if ("chunked".equalsIgnoreCase(head.fields.get("transfer-encoding"))) {
      while (true) {
        final int length = Integer.parseInt(line(), 16);
        if (length == 0) {
          return new Body(bytes.toByteArray(), fields());
        }
        bytes.write(exactly(length));
        if (!line().isEmpty()) {
          throw new IOException("no end of line behind a chunk");
        }
      }
    }
    final String length = head.fields.get("content-length");
    return new Body(length == null ? new byte[0] : exactly(Integer.parseInt(length)), Map.of());
  }

  /** Reads a number of bytes, unchanged. */
  byte[] exactly(int length) throws IOException {
    final byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("ended after " + bytes.length + " of " + length + " bytes");
    }
    return bytes;
  }

  private String line() throws IOException {
    final ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      final int next = in.read();
      if (next < 0) {
        throw new EOFException("ended within a line");
      }
      if (next == '\r') {
        if (in.read() != '\n') {
          throw new IOException("a CR without its LF");
        }
        return line.toString(StandardCharsets.ISO_8859_1);
      }
      line.write(next);
      if (line.size() > HEAD_BYTES_MOST) {
        throw new IOException("a line without an end");
      }
    }
  }
}

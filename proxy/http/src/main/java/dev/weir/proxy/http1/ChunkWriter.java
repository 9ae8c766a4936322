package dev.weir.proxy.http1;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;

/** Writes the framing of the chunked transfer coding (RFC 9112, section 7.1). */
public final class ChunkWriter {
  /** The last chunk and the end of a body without trailers. */
  private static final byte[] LAST_CHUNK = ascii("0\r\n\r\n");

  /** The most bytes that one of these methods writes. */
  public static final int MAX_BYTES = 10;

  private ChunkWriter() {}

  /** Appends what stands before a chunk of {@code length} bytes, 1 or more. */
  public static void writeSize(ByteBuf out, int length) {
    TextWriter.writeHex(out, length);
    out.writeByte('\r').writeByte('\n');
  }

  /** Appends the end of a chunk. */
  public static void writeEnd(ByteBuf out) {
    out.writeByte('\r').writeByte('\n');
  }

  /** Appends the end of a body without trailers. */
  public static void writeLast(ByteBuf out) {
    out.writeBytes(LAST_CHUNK);
  }
}

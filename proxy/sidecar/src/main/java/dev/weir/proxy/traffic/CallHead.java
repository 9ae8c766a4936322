package dev.weir.proxy.traffic;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The fields of a call of gRPC as clients' libraries send them (HPACK, RFC 7541): all of them with
 * the first call, for the table of the connection, and by their places in that table from then on.
 * Only the deadline is another each time.
 */
final class CallHead {
  private static final int LITERAL_INDEXED = 0x40;
  private static final int INDEXED = 0x80;

  /** A literal that goes into no table; its name is at the place behind these. */
  private static final int LITERAL_NAMED = 0x0f;

  /** The place of what was added last. */
  private static final int FIRST_PLACE = 62;

  /** Microseconds. */
  private static final String TIMEOUT = UserId.PLACE + "u";

  /** The deadline as a user's id, of which the last digit changes. */
  private static final int TIMEOUT_DIGITS = 0x49999990;

  private final Table table;
  private final byte[] first;
  private final int fieldCount;
  private final byte[] next;
  private final UserId timeout;
  private int firstAdded;
  private int sentCount;

  /** The number of fields in a connection's table, of all heads. */
  static final class Table {
    private int addedCount;
  }

  /**
   * @param path of the method.
   */
  CallHead(Table table, String path) {
    this.table = table;
    String[] fields = {
      ":method", "POST",
      ":scheme", "http",
      ":path", path,
      ":authority", "warm-up.invalid",
      "content-type", "application/grpc",
      "te", "trailers",
      "user-agent", "weir-warm-up",
      "grpc-timeout", "50S"
    };
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    for (int i = 0; i < fields.length; i += 2) {
      whole.write(LITERAL_INDEXED);
      text(whole, fields[i]);
      text(whole, fields[i + 1]);
    }
    first = whole.toByteArray();
    fieldCount = fields.length / 2;
    ByteArrayOutputStream places = new ByteArrayOutputStream();
    places.writeBytes(new byte[fieldCount - 1]);
    places.write(LITERAL_NAMED);
    places.write(0);
    text(places, TIMEOUT);
    next = places.toByteArray();
    timeout = new UserId(next);
  }

  private static void text(ByteArrayOutputStream out, String text) {
    out.write(text.length()); // of a byte, and without Huffman's code
    out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** The block of the connection's next call; good until the one behind it. */
  byte[] next() {
    if (sentCount++ == 0) {
      firstAdded = table.addedCount;
      table.addedCount += fieldCount;
      return first;
    }
    int place = FIRST_PLACE + table.addedCount - 1 - firstAdded;
    for (int i = 0; i < fieldCount - 1; i++) {
      next[i] = (byte) (INDEXED | place - i);
    }
    next[fieldCount] = (byte) (place - (fieldCount - 1) - LITERAL_NAMED);
    timeout.write(TIMEOUT_DIGITS + sentCount % 10);
    return next;
  }
}

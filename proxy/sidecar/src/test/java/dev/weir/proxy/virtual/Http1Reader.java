package dev.weir.proxy.virtual;

import java.util.Map;
import java.util.TreeMap;

/**
 * Reads messages of HTTP/1.1 for clients and services in virtual time. It shares no code with the
 * sidecar, and takes nothing but what a sidecar may write: anything else is its fault.
 */
final class Http1Reader {
  /** What was read. */
  enum Event {
    /** Nothing: more bytes are needed. */
    NONE,
    HEAD,
    DATA,
    END
  }

  private enum State {
    HEAD,
    LENGTH,
    CHUNK_SIZE,
    CHUNK,
    CHUNK_END,
    TRAILERS,
    UNTIL_END,
    END
  }

  private static final int MOST_HEAD_BYTES = 16 * 1024;

  private State state = State.HEAD;
  private long left;

  /** The first line of the last head, and its fields; the last of those of one name. */
  String startLine;

  Map<String, String> fields;

  /** How many bytes there are to be taken, after {@link Event#DATA}. */
  int dataBytes;

  /** Whether the body ends with the connection. */
  boolean endsWithConnection() {
    return state == State.UNTIL_END;
  }

  /** Whether nothing of a message has been read yet. */
  boolean isBetween() {
    return state == State.HEAD;
  }

  /**
   * Reads on.
   *
   * @param isResponse whether heads are those of responses.
   * @param hasNoBody whether the response is one to HEAD.
   */
  Event next(ByteQueue in, boolean isResponse, boolean hasNoBody) {
    while (true) {
      switch (state) {
        case HEAD -> {
          int end = in.find("\r\n\r\n");
          if (end < 0) {
            check(in.size() < MOST_HEAD_BYTES, "a head without an end");
            return Event.NONE;
          }
          head(in.text(end));
          in.skip(4);
          state = body(isResponse, hasNoBody);
          return Event.HEAD;
        }
        case LENGTH, CHUNK, UNTIL_END -> {
          if (left == 0 && state == State.CHUNK) {
            state = State.CHUNK_END;
            continue;
          }
          if (left == 0) {
            state = State.END;
            continue;
          }
          if (in.isEmpty()) {
            return Event.NONE;
          }
          dataBytes = (int) Math.min(left, in.size());
          left -= dataBytes;
          return Event.DATA;
        }
        case CHUNK_SIZE -> {
          int end = in.find("\r\n");
          if (end < 0) {
            check(in.size() < 32, "a chunk without a size");
            return Event.NONE;
          }
          left = Long.parseLong(in.text(end), 16);
          in.skip(2);
          state = left == 0 ? State.TRAILERS : State.CHUNK;
        }
        case CHUNK_END -> {
          if (in.size() < 2) {
            return Event.NONE;
          }
          check(in.text(2).equals("\r\n"), "a chunk that does not end");
          state = State.CHUNK_SIZE;
        }
        case TRAILERS -> {
          int end = in.find("\r\n");
          if (end < 0) {
            return Event.NONE;
          }
          if (end > 0) {
            field(in.text(end));
          } else {
            state = State.END;
          }
          in.skip(2);
        }
        case END -> {
          state = State.HEAD;
          return Event.END;
        }
      }
    }
  }

  private void head(String text) {
    String[] lines = text.split("\r\n");
    startLine = lines[0];
    fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (int i = 1; i < lines.length; i++) {
      field(lines[i]);
    }
  }

  private void field(String line) {
    int colon = line.indexOf(':');
    check(colon > 0, "a field without a name: " + line);
    fields.put(line.substring(0, colon), line.substring(colon + 1).trim());
  }

  private State body(boolean isResponse, boolean hasNoBody) {
    int status = isResponse ? status() : 0;
    // Who has not read all of a head does not know that it is one of HEAD.
    boolean isOfUnreadHead = status == 400 || status == 408;
    if (hasNoBody && !isOfUnreadHead || status / 100 == 1 || status == 204 || status == 304) {
      return State.END;
    }
    if (fields.containsKey("transfer-encoding")) {
      check(!fields.containsKey("content-length"), "two lengths");
      return State.CHUNK_SIZE;
    }
    String length = fields.get("content-length");
    left = length != null ? Long.parseLong(length) : isResponse ? Long.MAX_VALUE : 0;
    return left == Long.MAX_VALUE ? State.UNTIL_END : State.LENGTH;
  }

  /** The status of the last response. */
  int status() {
    check(startLine.startsWith("HTTP/1.1 "), "not a response: " + startLine);
    return Integer.parseInt(startLine.substring(9, 12));
  }

  private static void check(boolean holds, String fault) {
    if (!holds) {
      throw new AssertionError(fault);
    }
  }
}

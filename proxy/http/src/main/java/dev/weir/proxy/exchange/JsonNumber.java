package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.RequestEnd;
import org.agrona.DirectBuffer;

/**
 * The last number that one member has in JSON (RFC 8259), found as the text passes, in whatever
 * pieces it comes. It takes the same few bytes of memory for any text, and keeps none of it.
 *
 * <p>The member is named by its path from the top: the names of the members that lead to it. So
 * neither a string nor a member of another object, which the client may have written, is taken for
 * it. Texts may follow one another, or be the elements of an array. A name that is written with an
 * escape is not found. Of malformed text, no more is promised than that it does no harm.
 */
final class JsonNumber {
  /** The largest number: what a double has exactly. */
  static final long MAX = 1L << 53;

  /** Stands for the length of a string that is not the name. */
  private static final int OTHER = -1;

  private enum State {
    BETWEEN_TOKENS,
    STRING,

    /** Behind a backslash in a string. */
    ESCAPE,

    /** The scan is in the member's number. */
    NUMBER
  }

  private byte[][] path;
  private State state;

  /**
   * Objects and arrays that are open. The outermost array is not counted: its elements are texts.
   */
  private long depth;

  /** The number of open objects, from the outermost on, that lead to the member. */
  private int onPath;

  /** Whether the next string is the name of a member of an object on the path. */
  private boolean isName;

  /** Whether what follows is the value of the member that the path names next. */
  private boolean isValue;

  /** The number of bytes by which a string has matched the name so far; or {@link #OTHER}. */
  private int matched;

  private long number;
  private boolean isWhole;
  private long last;

  /**
   * Starts with another content.
   *
   * @param path the names that lead to the member, in UTF-8; not to be changed.
   */
  void start(byte[][] path) {
    this.path = path;
    last = RequestEnd.NOT_REPORTED;
    startText();
  }

  /** Starts with another text of the same content, as if the last had ended. */
  void startText() {
    state = State.BETWEEN_TOKENS;
    depth = 0;
    onPath = 0;
    isName = false;
    isValue = false;
  }

  /**
   * The last number that has ended, from 0 to {@link #MAX}; or {@link RequestEnd#NOT_REPORTED}, if
   * it was none such, or there was none.
   */
  long last() {
    return last;
  }

  /** Reads on in {@code bytes[from, to)}. */
  void read(DirectBuffer bytes, int from, int to) {
    int at = from;
    while (at < to) {
      switch (state) {
        case BETWEEN_TOKENS -> readToken(bytes.getByte(at++));
        case STRING -> at = readString(bytes, at, to);
        case ESCAPE -> {
          at++;
          state = State.STRING;
        }
        case NUMBER -> at = readNumber(bytes, at, to);
      }
    }
  }

  private void readToken(byte first) {
    switch (first) {
      case ' ', '\t', '\r', '\n', ':' -> {
        // A name's value follows.
      }
      case ',' -> {
        isName = isOnPath();
        isValue = false;
      }
      case '"' -> {
        state = State.STRING;
        matched = isName ? 0 : OTHER;
        isName = false;
        isValue = false;
      }
      case '{' -> {
        isName = depth == 0 || isValue && onPath < path.length;
        onPath += isName ? 1 : 0;
        isValue = false;
        depth++;
      }
      case '[' -> {
        isValue = false;
        depth += depth == 0 ? 0 : 1;
      }
      case '}', ']' -> close();
      default -> {
        boolean isNumber = first == '-' || Ascii.isDigit(first);
        if (isNumber && isValue && onPath == path.length) {
          state = State.NUMBER;
          isWhole = first != '-';
          number = isWhole ? first - '0' : 0;
        }
        isValue = false;
      }
    }
  }

  private boolean isOnPath() {
    return depth > 0 && onPath == depth;
  }

  private void close() {
    isName = false;
    isValue = false;
    if (isOnPath()) {
      onPath--;
    }
    depth -= depth == 0 ? 0 : 1;
  }

  private int readString(DirectBuffer bytes, int from, int to) {
    for (int at = from; at < to; at++) {
      byte b = bytes.getByte(at);
      if (b == '"') {
        state = State.BETWEEN_TOKENS;
        isValue = matched != OTHER && matched == path[onPath - 1].length;
        return at + 1;
      }
      if (b == '\\') {
        state = State.ESCAPE;
        matched = OTHER;
        return at + 1;
      }
      if (matched != OTHER) {
        byte[] name = path[onPath - 1];
        matched = matched < name.length && name[matched] == b ? matched + 1 : OTHER;
      }
    }
    return to;
  }

  private int readNumber(DirectBuffer bytes, int from, int to) {
    for (int at = from; at < to; at++) {
      byte b = bytes.getByte(at);
      if (Ascii.isDigit(b)) {
        number = isWhole ? number * 10 + b - '0' : 0;
        isWhole &= number <= MAX;
      } else if (b == '.' || b == 'e' || b == 'E' || b == '+' || b == '-') {
        isWhole = false;
      } else {
        last = isWhole ? number : RequestEnd.NOT_REPORTED;
        state = State.BETWEEN_TOKENS;
        return at;
      }
    }
    return to;
  }
}

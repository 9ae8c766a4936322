package dev.weir.proxy.exchange;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads messages by the letter of RFC 9112, from Latin-1 texts and with regular expressions: slow,
 * and with nothing in common with the code that it judges.
 */
final class StrictReader {
  private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
  private static final Pattern REQUEST_LINE =
      Pattern.compile("(" + TOKEN + ") ([\\x21-\\x7e\\x80-\\xff]+) HTTP/1\\.([01])\r\n");
  private static final Pattern STATUS_LINE =
      Pattern.compile("HTTP/1\\.([01]) ([1-5][0-9][0-9])(?: [\\t\\x20-\\x7e\\x80-\\xff]*)?\r\n");
  private static final Pattern FIELD_LINE =
      Pattern.compile("(" + TOKEN + "):[ \\t]*([\\t\\x20-\\x7e\\x80-\\xff]*?)[ \\t]*\r\n");
  private static final Pattern CHUNK_LINE =
      Pattern.compile("([0-9A-Fa-f]{1,16})([ \\t]*;[\\t\\x20-\\x7e\\x80-\\xff]*)?\r\n");

  /**
   * A message.
   *
   * @param start its request's method and target, or its status.
   * @param head from the first line to the empty one.
   * @param body without chunked framing.
   */
  record Message(String start, String head, String body) {
    List<String> values(String name) {
      List<String> values = new ArrayList<>();
      Matcher field = FIELD_LINE.matcher(head);
      for (int at = head.indexOf("\r\n") + 2; lineAt(field, at); at = field.end()) {
        if (field.group(1).equalsIgnoreCase(name)) {
          values.add(field.group(2));
        }
      }
      return values;
    }

    boolean isInformational() {
      return start.startsWith("1");
    }
  }

  private final String bytes;
  private int at;
  private boolean broken;

  StrictReader(String bytes) {
    this.bytes = bytes;
  }

  /** Whether what stands behind the messages that were read is no message, and never will be. */
  boolean isBroken() {
    return broken;
  }

  /** What has not been read, which may be the beginning of a message. */
  String rest() {
    return bytes.substring(at);
  }

  private static boolean lineAt(Matcher line, int at) {
    return line.region(at, line.regionEnd()).lookingAt();
  }

  /** The next request; null if there is no whole one. */
  Message request() {
    int from = at;
    while (bytes.startsWith("\r\n", from)) {
      from += 2;
    }
    Matcher line = REQUEST_LINE.matcher(bytes);
    if (!line.region(from, bytes.length()).lookingAt()) {
      return missing(from, "\r\n");
    }
    int bodyAt = fields(line.end());
    if (bodyAt < 0) {
      return null;
    }
    Message head =
        new Message(line.group(1) + ' ' + line.group(2), bytes.substring(from, bodyAt), "");
    List<String> codings = head.values("Transfer-Encoding");
    List<String> lengths = head.values("Content-Length");
    boolean http10 = line.group(3).equals("0");
    List<String> hosts = head.values("Host");
    if (codings.size() + lengths.size() > 1
        || !codings.isEmpty() && (http10 || !codings.get(0).equalsIgnoreCase("chunked"))
        || hosts.size() > 1
        || hosts.isEmpty() && !http10) {
      broken = true;
      return null;
    }
    return body(head, bodyAt, !codings.isEmpty(), lengths.isEmpty() ? "0" : lengths.get(0));
  }

  /**
   * The next response; null if there is no whole one.
   *
   * @param bodyless whether it has no body, whatever its fields say.
   * @param ended whether the connection has ended in good order, which may end a body.
   */
  Message response(boolean bodyless, boolean ended) {
    Matcher line = STATUS_LINE.matcher(bytes);
    if (!line.region(at, bytes.length()).lookingAt()) {
      return missing(at, "\r\n");
    }
    int bodyAt = fields(line.end());
    if (bodyAt < 0) {
      return null;
    }
    Message head = new Message(line.group(2), bytes.substring(at, bodyAt), "");
    List<String> codings = head.values("Transfer-Encoding");
    List<String> lengths = head.values("Content-Length");
    if (codings.size() + lengths.size() > 1) {
      broken = true;
      return null;
    }
    boolean none = bodyless || line.group(2).matches("1..|204|304");
    if (!none && codings.isEmpty() && lengths.isEmpty()) {
      if (!ended) {
        return null;
      }
      at = bytes.length();
      return new Message(head.start(), head.head(), bytes.substring(bodyAt));
    }
    boolean chunked = !none && !codings.isEmpty();
    return body(head, bodyAt, chunked, none || chunked ? "0" : lengths.get(0));
  }

  /** Behind the empty line that ends the fields; negative if there is none. */
  private int fields(int from) {
    Matcher field = FIELD_LINE.matcher(bytes);
    int end = from;
    while (!bytes.startsWith("\r\n", end)) {
      if (!field.region(end, bytes.length()).lookingAt()) {
        missing(end, "\r\n");
        return -1;
      }
      end = field.end();
    }
    return end + 2;
  }

  private Message body(Message head, int bodyAt, boolean chunked, String length) {
    if (chunked) {
      return chunks(head, bodyAt);
    }
    if (!length.matches("[0-9]{1,18}")) {
      broken = true;
      return null;
    }
    long end = bodyAt + Long.parseLong(length);
    if (end > bytes.length()) {
      return null;
    }
    at = (int) end;
    return new Message(head.start(), head.head(), bytes.substring(bodyAt, at));
  }

  private Message chunks(Message head, int bodyAt) {
    StringBuilder body = new StringBuilder();
    Matcher line = CHUNK_LINE.matcher(bytes);
    int from = bodyAt;
    while (true) {
      if (!line.region(from, bytes.length()).lookingAt()) {
        return missing(from, "\r\n");
      }
      long size = Long.parseUnsignedLong(line.group(1).toLowerCase(Locale.ROOT), 16);
      if (size == 0) {
        int end = fields(line.end());
        if (end < 0) {
          return null;
        }
        at = end;
        return new Message(head.start(), head.head(), body.toString());
      }
      if (size < 0 || line.end() + size + 2 > bytes.length()) {
        broken |= size < 0;
        return null;
      }
      int end = line.end() + (int) size;
      if (!bytes.startsWith("\r\n", end)) {
        broken = true;
        return null;
      }
      body.append(bytes, line.end(), end);
      from = end + 2;
    }
  }

  /** There is no such line: it may be yet to come, or never will. */
  private Message missing(int from, String end) {
    broken |= bytes.indexOf(end, from) >= 0;
    return null;
  }
}

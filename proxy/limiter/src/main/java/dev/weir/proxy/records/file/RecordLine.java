package dev.weir.proxy.records.file;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.proxy.records.RecordJson;
import java.util.zip.CRC32C;

/**
 * A line of a file of records: an object of JSON whose last member is the CRC32C of all bytes
 * before it. An entry of an audit that was written together with others has, before that, {@code
 * "write"}: the numbers of the first and the last of them.
 *
 * <pre>
 * {"user":"ann","version":"17-9f3a21bc","by":"ops","json":{"tier":"premium"},"crc32c":"5a3b0c11"}
 * {"number":17,"action":"update","rule":"chat", ... "previous":"9f3a...","write":[16,18],"crc32c":"5a3b0c11"}
 * </pre>
 */
final class RecordLine {
  private static final byte[] CRC = ascii(",\"crc32c\":\"");
  private static final int CRC_BYTES = CRC.length + 8 + 2;
  private static final byte[] WRITE = ascii(",\"write\":[");
  private static final byte[] USER = ascii("\"user\":\"");
  private static final byte[] NUMBER = ascii("{\"number\":");
  private static final byte[] DELETE = ascii("\"delete\"");
  private static final byte[] VERSION = ascii("\",\"version\":\"");

  private RecordLine() {}

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }

  /** Returns the line of an object that is written alone, with its end of line. */
  static byte[] of(String json) {
    return of(json, "");
  }

  /** Returns the line of an entry that is written with others. */
  static byte[] of(String json, long first, long last) {
    return of(json, first == last ? "" : ",\"write\":[" + first + "," + last + "]");
  }

  private static byte[] of(String json, String write) {
    byte[] body = ascii(json.substring(0, json.length() - 1) + write);
    byte[] line = new byte[body.length + CRC_BYTES + 1];
    System.arraycopy(body, 0, line, 0, body.length);
    System.arraycopy(
        ascii(",\"crc32c\":\"" + crc(body, 0, body.length) + "\"}\n"),
        0,
        line,
        body.length,
        CRC_BYTES + 1);
    return line;
  }

  private static String crc(byte[] bytes, int start, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, start, length);
    return String.format("%08x", crc.getValue());
  }

  /** Whether a line is as it was written. */
  static boolean isWhole(byte[] bytes, int start, int length) {
    int body = length - CRC_BYTES;
    if (body < 1 || !has(bytes, start + body, CRC)) {
      return false;
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes, start, body);
    long value = crc.getValue();
    int at = start + body + CRC.length;
    for (int shift = 28; shift >= 0; shift -= 4) {
      if (bytes[at++] != Character.forDigit((int) (value >>> shift) & 15, 16)) {
        return false;
      }
    }
    return bytes[at] == '"' && bytes[at + 1] == '}';
  }

  /** Returns the object of a whole line, without what was added to it. */
  static String json(byte[] bytes, int start, int length) {
    int end = length - CRC_BYTES;
    if (bytes[start + end - 1] == ']' && bytes[start] == '{' && has(bytes, start, NUMBER)) {
      end = writeAt(bytes, start, end);
    }
    return new String(bytes, start, end, US_ASCII) + "}";
  }

  /**
   * Returns the last number of the entries that were written with that of a whole line, as far as
   * it says.
   *
   * @param number of the entry.
   * @param isLast whether the last is asked for, else the first.
   */
  static long write(byte[] bytes, int start, int length, long number, boolean isLast) {
    int end = length - CRC_BYTES;
    if (bytes[start + end - 1] != ']') {
      return number;
    }
    int from = writeAt(bytes, start, end) + WRITE.length;
    String[] numbers = new String(bytes, start + from, end - 1 - from, US_ASCII).split(",");
    return Long.parseLong(numbers[isLast ? 1 : 0]);
  }

  private static int writeAt(byte[] bytes, int start, int end) {
    int at = end - 1;
    while (bytes[start + at] != '[') {
      at--;
    }
    return at + 1 - WRITE.length;
  }

  /** Returns the number of an entry; -1 if the line is none. */
  static long number(byte[] bytes, int start) {
    if (!has(bytes, start, NUMBER)) {
      return -1;
    }
    long number = 0;
    for (int at = start + NUMBER.length; bytes[at] >= '0' && bytes[at] <= '9'; at++) {
      number = number * 10 + bytes[at] - '0';
    }
    return number;
  }

  /** Returns where in the bytes a user's identity begins, in its quotation marks; -1 if none. */
  static int userAt(byte[] bytes, int start) {
    int at = start + 1;
    if (has(bytes, start, NUMBER)) {
      at = behindComma(bytes, behindComma(bytes, at));
    }
    return has(bytes, at, USER) ? at + USER.length - 1 : -1;
  }

  /** Whether a whole line of an entry says that its record was deleted. */
  static boolean isDeletion(byte[] bytes, int start) {
    return has(bytes, start, NUMBER)
        && has(bytes, behindComma(bytes, start) + "\"action\":".length(), DELETE);
  }

  /** Whether the user's record was changed; else the entry notes another act. */
  static boolean isChange(byte[] bytes, int identityEnd) {
    return has(bytes, identityEnd - 1, VERSION);
  }

  /** Returns where a text of JSON ends, behind its quotation mark. */
  static int textEnd(byte[] bytes, int textStart) {
    int at = textStart + 1;
    while (bytes[at] != '"') {
      at += bytes[at] == '\\' ? 2 : 1;
    }
    return at + 1;
  }

  /** Returns a text as a line has it, with its quotation marks. */
  static byte[] text(String text) {
    return ascii(RecordJson.text(text));
  }

  private static int behindComma(byte[] bytes, int at) {
    int comma = at;
    while (bytes[comma] != ',') {
      comma++;
    }
    return comma + 1;
  }

  private static boolean has(byte[] bytes, int at, byte[] text) {
    if (at + text.length > bytes.length) {
      return false;
    }
    for (int i = 0; i < text.length; i++) {
      if (bytes[at + i] != text[i]) {
        return false;
      }
    }
    return true;
  }
}

package dev.weir.proxy.records;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The end of an audit: the entry to which the next one is chained. Each entry has the next number
 * and the hash of the entry before, so one that was removed, changed or moved is found by {@link
 * AuditVerification}. A store keeps the head beside its records, and adds entries only to the head
 * that they were made for.
 *
 * @param number of the last entry; 0 before the first.
 * @param day in UTC, under which the last entry is kept. Days never go back, though clocks do: a
 *     day's entries are newer than those of the day before.
 * @param hash SHA-256 of {@link AuditEntry#toJson}, in hexadecimal.
 */
public record AuditHead(long number, LocalDate day, String hash) {
  /** The head of an audit without entries. */
  public static final AuditHead START = new AuditHead(0, LocalDate.EPOCH, "0".repeat(64));

  private static final Pattern TEXT =
      Pattern.compile("(0|[1-9][0-9]{0,15}) (\\d{4}-\\d\\d-\\d\\d) ([0-9a-f]{64})");

  /**
   * Reads the text of {@link #toString}.
   *
   * @throws IllegalArgumentException if it is none.
   */
  public static AuditHead parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("\"" + text + "\" (expected: the head of an audit)");
    }
    return new AuditHead(
        Long.parseLong(parts.group(1)), LocalDate.parse(parts.group(2)), parts.group(3));
  }

  /**
   * Returns the entry that follows.
   *
   * @param now the writer's clock; kept to milliseconds.
   */
  public AuditEntry entry(
      Instant now,
      Author author,
      String action,
      RecordName object,
      RecordVersion version,
      String before,
      String after) {
    return new AuditEntry(
        Long.toString(number + 1),
        now.truncatedTo(ChronoUnit.MILLIS),
        author,
        action,
        object,
        version,
        before,
        after,
        hash);
  }

  /** Returns the head once an entry has been added. */
  public AuditHead after(AuditEntry entry) {
    LocalDate today = LocalDate.ofInstant(entry.at(), ZoneOffset.UTC);
    return new AuditHead(
        Long.parseLong(entry.id()), today.isAfter(day) ? today : day, hash(entry.toJson()));
  }

  /**
   * Returns the head whose entry is a line of {@link AuditEntry#toJson}, also of a version that
   * knows more members.
   */
  public static AuditHead at(long number, LocalDate day, String line) {
    return new AuditHead(number, day, hash(line));
  }

  /** SHA-256 of an entry's line, in hexadecimal. */
  static String hash(String line) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(line.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Its text, such as {@code 17 2026-11-24 9f3a...}. */
  @Override
  public String toString() {
    return number + " " + day + " " + hash;
  }
}

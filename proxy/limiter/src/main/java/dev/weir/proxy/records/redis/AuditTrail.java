package dev.weir.proxy.records.redis;

import dev.weir.proxy.records.AuditEntry;
import dev.weir.proxy.records.AuditPage;
import dev.weir.proxy.records.AuditQuery;
import dev.weir.proxy.records.PageCursor;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.StreamMessage;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Reads the audit: a stream for each day, the newest entries first. */
final class AuditTrail {
  /** The day since 1970, and below which entry. */
  private static final Pattern CURSOR = Pattern.compile("(\\d{1,6})_(\\+|\\d{1,18}-\\d)");

  /** The most entries that one question looks at. */
  private static final int MOST_READ = 1000;

  private static final long MOST_DAYS = TimeUnit.MILLISECONDS.toDays(RecordCommit.AUDIT_LIFE_MS);

  private final RecordCalls calls;
  private final RecordKeys keys;

  AuditTrail(RecordCalls calls, RecordKeys keys) {
    this.calls = calls;
    this.keys = keys;
  }

  /** The text of an entry; empty if a hand has written something else. */
  static String line(StreamMessage<byte[], byte[]> message) {
    for (Map.Entry<byte[], byte[]> field : message.getBody().entrySet()) {
      if (RecordKeys.text(field.getKey()).equals("entry")) {
        return RecordKeys.text(field.getValue());
      }
    }
    return "";
  }

  /**
   * Some entries. The cursor of the next page is the day and the number of the last entry that was
   * looked at.
   *
   * @param user the name that the object has if it is a user; null if none is asked for.
   */
  AuditPage page(AuditQuery query, String user) throws RecordStoreException {
    AuditQuery ofUser =
        new AuditQuery(
            query.from(),
            query.to(),
            query.author(),
            user,
            query.kind(),
            query.after(),
            query.most());
    LocalDate today = LocalDate.ofInstant(Instant.now(), ZoneOffset.UTC);
    LocalDate day = today.plusDays(1); // another sidecar's clock may be ahead
    String below = "+";
    if (query.after() != null) {
      MatchResult at = PageCursor.read(query.after(), CURSOR);
      day = LocalDate.EPOCH.plusDays(Long.parseLong(at.group(1)));
      below = at.group(2);
    } else if (query.to() != null) {
      // Days never go back, though clocks do: an entry may be kept under a later day than its own.
      LocalDate last = LocalDate.ofInstant(query.to(), ZoneOffset.UTC).plusDays(1);
      day = last.isBefore(day) ? last : day;
    }
    LocalDate first = today.minusDays(MOST_DAYS);
    if (query.from() != null && LocalDate.ofInstant(query.from(), ZoneOffset.UTC).isAfter(first)) {
      first = LocalDate.ofInstant(query.from(), ZoneOffset.UTC);
    }
    List<AuditEntry> entries = new ArrayList<>();
    int read = 0;
    for (; !day.isBefore(first); day = day.minusDays(1), below = "+") {
      while (!below.isEmpty()) {
        int most = Math.min(MOST_READ - read, query.most() - entries.size());
        if (most <= 0) {
          return new AuditPage(entries, day.toEpochDay() + "_" + below);
        }
        List<StreamMessage<byte[], byte[]>> found = newest(day, below, most);
        for (StreamMessage<byte[], byte[]> each : found) {
          AuditEntry entry = entry(each);
          if (entry != null && (query.matches(entry) || ofUser.matches(entry))) {
            entries.add(entry);
          }
        }
        read += found.size();
        below = found.size() < most ? "" : found.get(found.size() - 1).getId();
      }
    }
    return new AuditPage(entries, null);
  }

  private List<StreamMessage<byte[], byte[]>> newest(LocalDate day, String below, int most)
      throws RecordStoreException {
    byte[] stream = keys.audit(day);
    Range<String> range =
        below.equals("+")
            ? Range.unbounded()
            : Range.from(Range.Boundary.unbounded(), Range.Boundary.excluding(below));
    return calls.command(
        RecordKeys.PARTITION, redis -> redis.xrevrange(stream, range, Limit.from(most)));
  }

  private static AuditEntry entry(StreamMessage<byte[], byte[]> message) {
    try {
      return AuditEntry.parse(line(message));
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }

  /** Who wrote a version of a record; empty if it is not among the newest entries of it. */
  String author(RecordName name, RecordVersion version) {
    try {
      AuditQuery query = new AuditQuery(null, null, null, name.id(), null, 1);
      for (AuditEntry entry : page(query, name.id()).entries()) {
        if (version.equals(entry.version())) {
          return entry.author().name();
        }
      }
    } catch (RecordStoreException unknown) {
      // The refusal is what counts.
    }
    return "";
  }
}

package dev.weir.proxy.records.file;

import dev.weir.proxy.records.AuditEntry;
import dev.weir.proxy.records.AuditPage;
import dev.weir.proxy.records.AuditQuery;
import dev.weir.proxy.records.AuditVerification;
import dev.weir.proxy.records.PageCursor;
import dev.weir.proxy.records.RecordStoreException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of an audit, one a day: {@code audit-2026-11-24.jsonl}. */
public final class AuditFolder {
  /** Days that entries are kept, beside the last two on which there were any. */
  static final int KEPT_DAYS = 90;

  /** Entries that one call looks at. */
  private static final int MOST_LOOKED_AT = 10_000;

  /** Bytes of the entries that one call returns, beside the last one's. */
  private static final int MOST_PAGE_BYTES = 4 << 20;

  /** The day since 1970, and where in its file the next entry ends. */
  private static final Pattern CURSOR = Pattern.compile("(\\d{1,6})_(\\d{1,18})");

  private AuditFolder() {}

  /** Returns the file of a day. */
  static Path file(Path folder, LocalDate day) {
    return folder.resolve("audit-" + day + ".jsonl");
  }

  /** Returns the days that have a file, the oldest first. */
  static NavigableSet<LocalDate> days(Path folder) throws IOException {
    NavigableSet<LocalDate> days = new TreeSet<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.getFileName().toString();
        if (name.startsWith("audit-") && name.endsWith(".jsonl")) {
          try {
            days.add(LocalDate.parse(name.substring(6, name.length() - 6)));
          } catch (DateTimeParseException e) {
            // Somebody else's file.
          }
        }
      }
    }
    return days;
  }

  /**
   * Looks for entries, the newest first.
   *
   * @param lastDay the day of the newest file.
   * @param lastSize where its acknowledged entries end.
   * @throws IllegalArgumentException if the query goes on where no page ended.
   */
  static AuditPage page(Path folder, AuditQuery query, LocalDate lastDay, long lastSize)
      throws RecordStoreException {
    LocalDate day = lastDay;
    long end = lastSize;
    if (query.after() != null) {
      MatchResult at = PageCursor.read(query.after(), CURSOR);
      day = LocalDate.EPOCH.plusDays(Long.parseLong(at.group(1)));
      end = Long.parseLong(at.group(2));
    }
    LocalDate from =
        query.from() == null ? LocalDate.MIN : LocalDate.ofInstant(query.from(), ZoneOffset.UTC);
    List<AuditEntry> entries = new ArrayList<>();
    int looked = 0;
    long bytes = 0;
    try {
      NavigableSet<LocalDate> days = days(folder).headSet(lastDay, true);
      // An entry's time is never after its day, but before it if the clock went back.
      for (; day != null && !day.isBefore(from); day = days.lower(day), end = -1) {
        try (FileChannel file = open(file(folder, day))) {
          long most = day.equals(lastDay) ? lastSize : file.size();
          if (end > most || end < -1) {
            throw new IllegalArgumentException(
                query.after() + " (expected: where the page before ended)");
          }
          BackwardReader lines = new BackwardReader(file, end < 0 ? most : end);
          while (lines.end() > 0) {
            if (entries.size() == query.most()
                || looked == MOST_LOOKED_AT
                || bytes > MOST_PAGE_BYTES) {
              return new AuditPage(entries, day.toEpochDay() + "_" + lines.end());
            }
            byte[] line = lines.previous();
            looked++;
            if (!RecordLine.isWhole(line, 0, line.length)) {
              throw new RecordStoreException(
                  file(folder, day) + ": a line at byte " + lines.end() + " is broken");
            }
            AuditEntry entry = AuditEntry.parse(RecordLine.json(line, 0, line.length));
            if (query.matches(entry)) {
              entries.add(entry);
              bytes += line.length;
            }
          }
        } catch (NoSuchFileException e) {
          // Nothing was written on that day; or its 90 days are over.
        }
      }
      return new AuditPage(entries, null);
    } catch (IOException e) {
      throw new RecordStoreException("cannot read the audit: " + e, e);
    }
  }

  private static FileChannel open(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Checks all entries of a folder, of which a process may be writing.
   *
   * @param folder of a store, or a copy of one.
   */
  public static void verify(Path folder, AuditVerification verification) throws IOException {
    for (LocalDate day : days(folder)) {
      Path path = file(folder, day);
      try (FileChannel file = open(path)) {
        LineReader lines = new LineReader(file, 0);
        for (long line = 1; lines.next(); line++) {
          String place = path.getFileName() + ":" + line;
          if (RecordLine.isWhole(lines.bytes(), lines.start(), lines.length())) {
            verification.next(place, RecordLine.json(lines.bytes(), lines.start(), lines.length()));
          } else {
            verification.broken(place);
          }
        }
      }
    }
  }
}

package dev.weir.proxy.records.file;

import dev.weir.proxy.records.AuditHead;
import dev.weir.proxy.records.RecordStoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a folder: the snapshot, then the entries of the audit that follow it.
 *
 * <p>A write that the end of the process or of power cut short is the last one, and was never
 * acknowledged: it is passed over, whole, and {@link RecordFile#cut} off if the folder may be
 * written. Of its lines any may be there or broken, as nothing orders how they reach the disk; but
 * none of a later write, which began when this one was on the disk. So a broken line before a later
 * write is damage, and refused.
 */
final class Replay {
  /**
   * What a line of a write changes, once the whole write has been read: a rule or part, or a user's
   * place, or nothing.
   */
  private record Change(KeptRecord rule, long hash, long userPlace, boolean isDeleted) {}

  private final Path folder;
  private final boolean isWritable;
  private final LiveRecords live = new LiveRecords();

  /** The changes of a write whose last line has not been read. */
  private final List<Change> write = new ArrayList<>();

  /** The last entry of all whole writes, and its place; and that of the last one of a user. */
  private long number;

  private long lastPlace = UserIndex.NONE;
  private long userPlace = UserIndex.NONE;

  /** The first line of the write that was cut short; null if none was. */
  private String broken;

  private Replay(Path folder, boolean isWritable) {
    this.folder = folder;
    this.isWritable = isWritable;
  }

  /**
   * Reads a folder.
   *
   * @param isWritable whether what a write left that was cut short is removed.
   * @return the records, and the snapshot; that is null if there is none.
   */
  static Result read(Path folder, boolean isWritable) throws IOException, RecordStoreException {
    Replay replay = new Replay(folder, isWritable);
    try {
      return replay.read();
    } catch (IOException | RecordStoreException | RuntimeException e) {
      replay.live.close();
      throw e;
    }
  }

  /**
   * What was read.
   *
   * @param format of the snapshot; 0 if there is none.
   * @param log the newest file of the audit; null if there is none.
   * @param logged bytes of entries behind the snapshot.
   */
  record Result(LiveRecords live, int format, RecordFile log, long logged) {}

  private Result read() throws IOException, RecordStoreException {
    Path path = folder.resolve(Snapshot.NAME);
    Snapshot snapshot = null;
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      RecordFile file = RecordFile.open(path, isWritable);
      live.files.add(file);
      snapshot = Snapshot.read(file, live);
    } else {
      live.files.add(null);
    }
    final boolean isMended =
        isWritable && (snapshot == null || snapshot.format() <= Snapshot.FORMAT);
    LocalDate day = live.auditHead.day();
    number = live.auditHead.number();
    long logged = 0;
    RecordFile log = null;
    for (LocalDate next : AuditFolder.days(folder).tailSet(day, true)) {
      log = live.open(folder, next, isWritable);
      if (broken != null && log.size() > 0) {
        throw notTheLast();
      }
      boolean isHeads = snapshot != null && next.equals(snapshot.audit().day());
      long start = isHeads ? Math.min(snapshot.offset(), log.size()) : 0;
      long end = read(log, start);
      if (broken != null && isMended) {
        log.cut(end);
      }
      logged += end - start;
      day = next;
    }
    finish(day);
    return new Result(live, snapshot == null ? 0 : snapshot.format(), log, logged);
  }

  /** Reads a file; returns where its last whole write ends. */
  private long read(RecordFile log, long from) throws IOException, RecordStoreException {
    int file = live.files.size() - 1;
    long end = from;
    LineReader lines = log.lines(from);
    while (lines.next()) {
      byte[] bytes = lines.bytes();
      int start = lines.start();
      int length = lines.length();
      if (!lines.isEnded() || !RecordLine.isWhole(bytes, start, length)) {
        broken = broken == null ? name(log, lines.position()) : broken;
        continue;
      }
      long entry = RecordLine.number(bytes, start);
      if (broken != null) {
        if (RecordLine.write(bytes, start, length, entry, false) > number + 1) {
          throw notTheLast();
        }
        continue;
      }
      long expected = number + write.size() + 1;
      if (entry != expected) {
        throw new RecordStoreException(
            name(log, lines.position())
                + ": entry "
                + entry
                + " (expected: entry "
                + expected
                + ")");
      }
      long place = LiveRecords.place(file, lines.position());
      write.add(change(lines, place));
      if (entry == RecordLine.write(bytes, start, length, entry, true)) {
        write.forEach(this::apply);
        write.clear();
        number = entry;
        end = lines.end();
        lastPlace = place;
      }
    }
    if (broken == null && !write.isEmpty()) {
      broken = name(log, end);
    }
    return end;
  }

  private RecordStoreException notTheLast() {
    return new RecordStoreException(
        broken + ": the line is broken (expected: its CRC32C), and others were written after it");
  }

  private Change change(LineReader lines, long at) throws RecordStoreException {
    byte[] bytes = lines.bytes();
    int user = RecordLine.userAt(bytes, lines.start());
    if (user < 0) {
      String json = RecordLine.json(bytes, lines.start(), lines.length());
      return new Change(KeptRecord.parse(json), 0, UserIndex.NONE, false);
    }
    int textEnd = RecordLine.textEnd(bytes, user);
    if (!RecordLine.isChange(bytes, textEnd)) {
      return new Change(null, 0, UserIndex.NONE, false);
    }
    return new Change(
        null,
        live.users.hash(bytes, user, textEnd - user),
        at,
        RecordLine.isDeletion(bytes, lines.start()));
  }

  private void apply(Change change) {
    if (change.rule != null) {
      live.apply(change.rule);
    } else if (change.userPlace != UserIndex.NONE) {
      live.applyUser(change.hash, change.isDeleted, change.userPlace);
      userPlace = change.userPlace;
    }
  }

  /** Reads the version and the hash of which only the last ones count. */
  private void finish(LocalDate day) throws RecordStoreException {
    if (userPlace != UserIndex.NONE) {
      live.usersHead = live.at(userPlace).record().version();
    }
    live.auditHead =
        lastPlace == UserIndex.NONE
            ? new AuditHead(number, day, live.auditHead.hash())
            : AuditHead.at(number, day, live.json(lastPlace));
  }

  /** Returns a file's name and the number of a line, for messages. */
  private static String name(RecordFile file, long position) throws IOException {
    LineReader lines = file.lines(0);
    long line = 1;
    while (lines.next() && lines.position() < position) {
      line++;
    }
    return file.path() + ":" + line;
  }
}

package dev.weir.proxy.records.file;

import dev.weir.proxy.records.AuditEntry;
import dev.weir.proxy.records.AuditHead;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StoredRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What all records are now: rules and parts, and where the lines of users are. One thread at a
 * time.
 */
final class LiveRecords implements AutoCloseable {
  /** The bits of a place that say where in its file a line begins; those above name the file. */
  private static final int OFFSET_BITS = 48;

  /** Files in which users' lines are, by their number; the first is the snapshot, or null. */
  final List<RecordFile> files = new ArrayList<>();

  final Map<RecordName, KeptRecord> rules = new LinkedHashMap<>();
  RecordVersion rulesHead = RecordVersion.NONE;
  String rulesBy = "";
  UserIndex users = new UserIndex();
  RecordVersion usersHead = RecordVersion.NONE;
  AuditHead auditHead = AuditHead.START;

  /** The place of a line in one of the files. */
  static long place(int file, long offset) {
    return (long) file << OFFSET_BITS | offset;
  }

  /** Returns the hash of a user's identity. */
  long hash(String identity) {
    byte[] text = RecordLine.text(identity);
    return users.hash(text, 0, text.length);
  }

  /**
   * Returns a user's record; null if there is none.
   *
   * @throws RecordStoreException if another identity has the same hash.
   */
  KeptRecord user(String identity) throws RecordStoreException {
    long place = users.get(hash(identity));
    if (place == UserIndex.NONE) {
      return null;
    }
    KeptRecord user = at(place);
    if (!user.record().name().id().equals(identity)) {
      throw new RecordStoreException(
          "another user has the hash of \"" + identity + "\": one of them cannot have a record");
    }
    return user;
  }

  /** Reads the record in the line at a place. */
  KeptRecord at(long place) throws RecordStoreException {
    return KeptRecord.parse(json(place));
  }

  /** Reads the line at a place. */
  String json(long place) throws RecordStoreException {
    RecordFile file = files.get((int) (place >>> OFFSET_BITS));
    long offset = place & (1L << OFFSET_BITS) - 1;
    try {
      String json = file.json(offset);
      if (json != null) {
        return json;
      }
    } catch (IOException e) {
      throw new RecordStoreException("cannot read " + file.path() + ": " + e.getMessage(), e);
    }
    throw new RecordStoreException(file.path() + ": the line at byte " + offset + " is broken");
  }

  /** Takes in what an entry has changed, whose line is at a place. */
  void apply(AuditEntry entry, long place) {
    if (entry.version() == null) {
      return;
    }
    if (entry.object().kind() != RecordName.Kind.USER) {
      apply(
          new KeptRecord(
              new StoredRecord(entry.object(), entry.version(), entry.after()),
              entry.author().name()));
      return;
    }
    usersHead = entry.version();
    applyUser(hash(entry.object().id()), entry.after() == null, place);
  }

  /** Takes in a rule or part as it is now. */
  void apply(KeptRecord rule) {
    rulesHead = rule.record().version();
    rulesBy = rule.by();
    if (rule.record().json() == null) {
      rules.remove(rule.record().name());
    } else {
      rules.put(rule.record().name(), rule);
    }
  }

  /** Takes in where a user's record is now. */
  void applyUser(long hash, boolean isDeleted, long place) {
    if (isDeleted) {
      users.remove(hash);
    } else {
      users.put(hash, place);
    }
  }

  /** Opens the audit's file of a day, for users' lines. */
  RecordFile open(Path folder, LocalDate day, boolean isWritable) throws IOException {
    RecordFile file = RecordFile.open(AuditFolder.file(folder, day), isWritable);
    files.add(file);
    return file;
  }

  @Override
  public void close() {
    for (RecordFile file : files) {
      if (file != null) {
        file.close();
      }
    }
  }
}

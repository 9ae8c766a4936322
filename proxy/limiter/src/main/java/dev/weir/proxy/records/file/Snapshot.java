package dev.weir.proxy.records.file;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.proxy.records.AuditHead;
import dev.weir.proxy.records.RecordJson;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * What all records were at one entry of the audit: file {@code records.jsonl}. Its first line has
 * the number of records, the versions, and where in the audit the next entry begins; then comes a
 * line for each record.
 *
 * @param format of the file. Later versions only add members, so whoever reads finds what it knows.
 * @param offset in the audit's file of the head's day.
 */
record Snapshot(
    int format,
    long records,
    RecordVersion rules,
    String rulesBy,
    RecordVersion users,
    AuditHead audit,
    long offset) {
  /** The format that is written. */
  static final int FORMAT = 1;

  static final String NAME = "records.jsonl";

  private String toJson() {
    return "{\"format\":"
        + format
        + ",\"records\":"
        + records
        + ",\"rules\":\""
        + rules
        + "\",\"rules-by\":"
        + RecordJson.text(rulesBy)
        + ",\"users\":\""
        + users
        + "\",\"audit\":\""
        + audit
        + "\",\"offset\":"
        + offset
        + "}";
  }

  private static Snapshot parse(String line) throws IOException {
    int format = 0;
    long records = 0;
    RecordVersion rules = RecordVersion.NONE;
    String rulesBy = "";
    RecordVersion users = RecordVersion.NONE;
    AuditHead audit = AuditHead.START;
    long offset = 0;
    try (JsonParser parser = RecordJson.parser(line)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String member = parser.currentName();
        parser.nextToken();
        switch (member) {
          case "format" -> format = parser.getIntValue();
          case "records" -> records = parser.getLongValue();
          case "rules" -> rules = RecordVersion.parse(parser.getText());
          case "rules-by" -> rulesBy = parser.getText();
          case "users" -> users = RecordVersion.parse(parser.getText());
          case "audit" -> audit = AuditHead.parse(parser.getText());
          case "offset" -> offset = parser.getLongValue();
          default -> parser.skipChildren();
        }
      }
    }
    if (format < 1) {
      throw new IllegalArgumentException("not a file of records (expected: a format)");
    }
    return new Snapshot(format, records, rules, rulesBy, users, audit, offset);
  }

  /**
   * Reads a file into records that are empty.
   *
   * @throws RecordStoreException if a line is broken, or missing.
   */
  static Snapshot read(RecordFile file, LiveRecords live) throws IOException, RecordStoreException {
    LineReader lines = file.lines(0);
    Snapshot head = null;
    long count = 0;
    for (long line = 1; lines.next(); line++) {
      byte[] bytes = lines.bytes();
      int start = lines.start();
      if (!lines.isEnded() || !RecordLine.isWhole(bytes, start, lines.length())) {
        throw new RecordStoreException(
            file.path() + ":" + line + ": the line is broken (expected: its CRC32C)");
      }
      try {
        if (head == null) {
          head = parse(RecordLine.json(bytes, start, lines.length()));
          continue;
        }
        count++;
        int user = RecordLine.userAt(bytes, start);
        if (user >= 0) {
          long hash = live.users.hash(bytes, user, RecordLine.textEnd(bytes, user) - user);
          live.users.put(hash, LiveRecords.place(0, lines.position()));
        } else {
          live.apply(KeptRecord.parse(RecordLine.json(bytes, start, lines.length())));
        }
      } catch (IOException | IllegalArgumentException e) {
        throw new RecordStoreException(file.path() + ":" + line + ": " + e.getMessage(), e);
      }
    }
    if (head == null || count != head.records) {
      throw new RecordStoreException(
          file.path()
              + ": it has "
              + count
              + " records (expected: "
              + (head == null ? "a first line" : head.records)
              + ")");
    }
    live.rulesHead = head.rules;
    live.rulesBy = head.rulesBy;
    live.usersHead = head.users;
    live.auditHead = head.audit;
    return head;
  }

  /**
   * Writes the records to a new file, and renames it. The old one stays whole until then, and if
   * this throws.
   *
   * @param log to which the audit is appended; null if there is none. It becomes the second file.
   * @return how long the file is.
   */
  static long write(Path folder, LiveRecords live, RecordFile log)
      throws IOException, RecordStoreException {
    Path made = folder.resolve(NAME + ".new");
    Files.deleteIfExists(made);
    UserIndex users = new UserIndex();
    RecordFile file;
    try (RecordFile unnamed = RecordFile.create(made)) {
      Snapshot head =
          new Snapshot(
              FORMAT,
              live.rules.size() + (long) live.users.size(),
              live.rulesHead,
              live.rulesBy,
              live.usersHead,
              live.auditHead,
              log == null ? 0 : log.size());
      try (Output out = new Output(unnamed)) {
        out.write(RecordLine.of(head.toJson()));
        for (KeptRecord rule : live.rules.values()) {
          out.write(RecordLine.of(rule.toJson()));
        }
        for (int i = 0; i < live.files.size(); i++) {
          copyUsers(live, i, out, users);
        }
      }
      Files.move(made, folder.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
      RecordFile.forceFolder(folder);
      file = RecordFile.open(folder.resolve(NAME), true);
    } catch (IOException | RecordStoreException e) {
      Files.deleteIfExists(made);
      throw e;
    }
    for (RecordFile old : live.files) {
      if (old != null && old != log) {
        old.close();
      }
    }
    live.files.clear();
    live.files.add(file);
    if (log != null) {
      live.files.add(log);
    }
    live.users = users;
    return file.size();
  }

  /** Copies the users whose present line is in a file. */
  private static void copyUsers(LiveRecords live, int number, Output out, UserIndex users)
      throws IOException, RecordStoreException {
    RecordFile file = live.files.get(number);
    if (file == null) {
      return;
    }
    LineReader lines = file.lines(0);
    while (lines.next() && lines.end() <= file.size()) {
      byte[] bytes = lines.bytes();
      int user = RecordLine.userAt(bytes, lines.start());
      if (user < 0) {
        continue;
      }
      long hash = users.hash(bytes, user, RecordLine.textEnd(bytes, user) - user);
      if (live.users.get(hash) != LiveRecords.place(number, lines.position())) {
        continue;
      }
      if (!RecordLine.isWhole(bytes, lines.start(), lines.length())) {
        throw new RecordStoreException(
            file.path() + ": the line at byte " + lines.position() + " is broken");
      }
      users.put(hash, LiveRecords.place(0, out.size));
      if (number == 0) {
        out.write(bytes, lines.start(), lines.length() + 1);
      } else {
        String json = RecordLine.json(bytes, lines.start(), lines.length());
        out.write(RecordLine.of(KeptRecord.parse(json).toJson()));
      }
    }
  }

  /** Gathers what goes to a file, and counts it. */
  private static final class Output implements AutoCloseable {
    private final OutputStream gathered;
    private long size;

    private Output(RecordFile file) {
      gathered = new BufferedOutputStream(file.output(), 1 << 16);
    }

    private void write(byte[] line) throws IOException {
      write(line, 0, line.length);
    }

    private void write(byte[] bytes, int start, int length) throws IOException {
      gathered.write(bytes, start, length);
      size += length;
    }

    @Override
    public void close() throws IOException {
      gathered.close();
    }
  }
}

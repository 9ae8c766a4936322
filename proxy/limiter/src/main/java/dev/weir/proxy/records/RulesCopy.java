package dev.weir.proxy.records;

import dev.weir.proxy.records.RecordName.Kind;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The last set of rules that was taken into use, in a file, for a start while the store is away. A
 * line of JSON says the format, the service and the version, one follows for each record, and the
 * last line is the SHA-256 of all before. The file is replaced as a whole, by a rename. Not for
 * several threads at once.
 */
public final class RulesCopy {
  /** The format that is written; others are not read. */
  private static final int FORMAT = 1;

  /** The longest file, and the longest line of it, in characters. */
  private static final int MOST_CHARACTERS = 64 << 20;

  private final Path file;
  private final String service;

  /**
   * @param folder which need not exist.
   * @param service whose rules they are; not empty.
   */
  public RulesCopy(Path folder, String service) {
    this.service = service;
    file = folder.resolve("rules-" + service + ".copy");
  }

  /** Replaces the copy; returns once it is on the disk. */
  public void save(RecordSet set) throws IOException {
    StringBuilder text = new StringBuilder();
    Map<String, Object> head = new LinkedHashMap<>();
    head.put("format", FORMAT);
    head.put("service", service);
    head.put("head", set.head().toString());
    text.append(JsonText.write(head)).append('\n');
    for (StoredRecord record : set.records()) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put(record.name().kind().name().toLowerCase(Locale.ROOT), record.name().id());
      line.put("version", record.version().toString());
      line.put("record", record.json());
      text.append(JsonText.write(line)).append('\n');
    }
    text.append(sha256(text.toString())).append('\n');
    Files.createDirectories(file.getParent());
    Path next = file.resolveSibling(file.getFileName() + ".next");
    try (FileChannel out =
        FileChannel.open(
            next,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel folder = FileChannel.open(file.getParent())) {
      folder.force(true);
    }
  }

  /**
   * Reads the copy.
   *
   * @return null if there is none.
   * @throws IOException if it cannot be used; its message names the file and the reason.
   */
  public RecordSet load() throws IOException {
    String text;
    try {
      text = Files.readString(file);
    } catch (NoSuchFileException | FileNotFoundException none) {
      return null;
    } catch (IOException unreadable) {
      throw new IOException(file + ": " + unreadable.getMessage(), unreadable);
    }
    int lastLine = text.lastIndexOf('\n', text.length() - 2) + 1;
    if (!text.substring(lastLine).equals(sha256(text.substring(0, lastLine)) + "\n")) {
      throw new IOException(file + ": damaged (expected: the SHA-256 of all lines as the last)");
    }
    List<String> lines = text.substring(0, lastLine).lines().toList();
    try {
      Map<?, ?> head = line(lines.get(0));
      String format = String.valueOf(head.get("format"));
      if (!format.equals("" + FORMAT) || !service.equals(head.get("service"))) {
        String found = "format " + format + " of service " + head.get("service");
        String expected = "format " + FORMAT + " of service " + service;
        throw new IOException(file + ": " + found + " (expected: " + expected + ")");
      }
      List<StoredRecord> records = new ArrayList<>();
      for (String each : lines.subList(1, lines.size())) {
        records.add(record(line(each)));
      }
      return new RecordSet(RecordVersion.parse((String) head.get("head")), records);
    } catch (BadRecordException | RuntimeException malformed) {
      throw new IOException(file + ": not as it was written: " + malformed, malformed);
    }
  }

  private static Map<?, ?> line(String text) throws BadRecordException {
    return (Map<?, ?>) JsonText.read(text, MOST_CHARACTERS);
  }

  private static StoredRecord record(Map<?, ?> line) {
    Kind kind = line.containsKey("rule") ? Kind.RULE : Kind.PART;
    String id = (String) line.get(kind.name().toLowerCase(Locale.ROOT));
    return new StoredRecord(
        new RecordName(kind, id),
        RecordVersion.parse((String) line.get("version")),
        (String) line.get("record"));
  }

  private static String sha256(String text) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException none) {
      throw new AssertionError("every JDK has SHA-256", none);
    }
  }
}

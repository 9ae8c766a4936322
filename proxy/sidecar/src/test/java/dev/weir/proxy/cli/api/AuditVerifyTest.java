package dev.weir.proxy.cli.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.records.AuditEntry;
import dev.weir.proxy.records.AuditQuery;
import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordJson;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.file.FileRecordStore;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code weir audit verify} of a folder and of an export. */
class AuditVerifyTest {
  @TempDir private Path temporary;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path folder;
  private Path export;

  @BeforeEach
  void write() throws Exception {
    folder = temporary.resolve("state");
    export = temporary.resolve("export.ndjson");
    try (FileRecordStore store = FileRecordStore.open(folder, Clock.systemUTC(), null)) {
      for (String id : List.of("a", "J\u00fcrgen\n", "\u2028", "d", "e")) {
        store.writeUser(
            new RecordWrite(new RecordName(RecordName.Kind.USER, id), null, "{\"n\":1.50}"),
            new Author("ops", "", "", "f\u00fcr heute"));
      }
      List<String> lines = new ArrayList<>();
      for (AuditEntry entry :
          store.audit(new AuditQuery(null, null, null, null, null, 100)).entries()) {
        // As REST gives it and the export writes it.
        lines.add(
            RecordJson.compact(JsonText.write(JsonText.read(entry.toJson(), Integer.MAX_VALUE))));
      }
      Files.write(export, lines);
    }
  }

  private int run(Object... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    String[] texts = new String[arguments.length];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = arguments[i].toString();
    }
    return new CommandLine(new AuditVerify())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(texts);
  }

  @Test
  void saysTheNewestEntryOfAWholeAudit() throws Exception {
    assertEquals(0, run(folder), err.toString());
    String said = out.toString();
    assertTrue(said.matches("5 entries are whole; newest 5:[0-9a-f]{64}\\R"), said);
    assertEquals(0, run(export), err.toString());
    assertEquals(said, out.toString());
    String head = said.strip().replaceAll(".* ", "");
    assertEquals(0, run(export, "--head", head));
    List<String> cut = Files.readAllLines(export).subList(1, 5);
    Files.write(export, cut);
    assertEquals(0, run(export));
    assertEquals(1, run(export, "--head", head));
    assertEquals("entry 5 is missing: it was expected\n", err.toString());
  }

  @Test
  void namesTheLineThatWasRemovedOrChanged() throws Exception {
    List<String> lines = Files.readAllLines(export);
    Files.write(export, List.of(lines.get(0), lines.get(1), lines.get(3), lines.get(4)));
    assertEquals(1, run(export));
    assertEquals("export.ndjson:3: entry 3 is missing before it\n", err.toString());
    lines.set(2, lines.get(2).replace("1.50", "9.50"));
    Files.write(export, lines);
    assertEquals(1, run(export));
    assertTrue(err.toString().startsWith("export.ndjson:3: entry 3 was changed"), err.toString());
    Path log;
    try (var files = Files.list(folder)) {
      log = files.filter(file -> file.toString().contains("audit-")).findFirst().orElseThrow();
    }
    Files.writeString(log, Files.readString(log).replaceFirst("1\\.50", "9.50"));
    assertEquals(1, run(folder));
    assertEquals(
        log.getFileName() + ":1: the line is broken (expected: its CRC32C)\n", err.toString());
  }

  @Test
  void refusesWhatIsNoAudit() throws Exception {
    assertEquals(1, run(temporary.resolve("none")));
    assertEquals(1, run(Files.createDirectory(temporary.resolve("empty"))));
    assertTrue(err.toString().endsWith("empty: no entries\n"), err.toString());
    assertEquals(2, run(folder, "--head", "5"));
    assertEquals(2, run());
    Files.writeString(export, "not JSON\n");
    assertEquals(1, run(export));
    assertTrue(err.toString().startsWith("export.ndjson:1: not an entry"), err.toString());
  }
}

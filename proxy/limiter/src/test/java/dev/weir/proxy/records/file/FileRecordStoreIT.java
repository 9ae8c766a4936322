package dev.weir.proxy.records.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.records.AuditVerification;
import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordWrite;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that write records, and meet the end of their time, of the disk, or of their rights.
 */
@Timeout(60)
class FileRecordStoreIT {
  @TempDir private Path temporary;

  private Process start(Path folder, String... before) throws IOException {
    List<String> command = new ArrayList<>(List.of(before));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m", "--add-opens"));
    command.addAll(
        List.of(
            "java.base/jdk.internal.misc=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            RecordWriterProcess.class.getName(),
            folder.toString()));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static BufferedReader output(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  private static void assertWhole(Path folder) throws IOException {
    AuditVerification verification = new AuditVerification();
    AuditFolder.verify(folder, verification);
    assertEquals(List.of(), verification.faults());
  }

  @Test
  void keepsEachAcknowledgedWriteOfAKilledProcess() throws Exception {
    Path folder = temporary.resolve("state");
    int acknowledged = -1;
    Process process = start(folder);
    try (BufferedReader output = output(process)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        acknowledged = Integer.parseInt(line);
        if (acknowledged == 300) {
          String message =
              assertThrows(
                      RecordStoreException.class,
                      () -> FileRecordStore.open(folder, Clock.systemUTC(), null))
                  .getMessage();
          assertTrue(message.endsWith(" is in use by process " + process.pid()), message);
        }
        if (acknowledged == 3000) {
          process.toHandle().destroyForcibly(); // and what it said before can be read
        }
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertTrue(acknowledged >= 3000, "acknowledged " + acknowledged);
    try (FileRecordStore store = FileRecordStore.open(folder, Clock.systemUTC(), null)) {
      for (int i = 0; i <= acknowledged; i++) {
        assertEquals(i + "", store.user("u" + i).orElseThrow().json());
      }
      int more = store.users(null, 1 << 20).users().size() - acknowledged - 1;
      assertTrue(more == 0 || more == 1, "written, and not told: " + more);
      store.writeUser(
          new RecordWrite(new RecordName(RecordName.Kind.USER, "next"), null, "1"),
          new Author("ann", "", "", ""));
    }
    assertWhole(folder);
  }

  @Test
  void changesNothingOnAFullDiskAndReadsOn() throws Exception {
    Path folder = temporary.resolve("state");
    Process process = start(folder, "sh", "-c", "ulimit -f 100; exec \"$0\" \"$@\"");
    List<String> lines;
    try (BufferedReader output = output(process)) {
      lines = output.lines().toList();
    } finally {
      process.destroyForcibly().waitFor();
    }
    int acknowledged = lines.size() - 2;
    assertTrue(acknowledged > 50, lines::toString);
    String message = lines.get(acknowledged);
    assertTrue(message.endsWith(" cannot be written: File too large"), message);
    assertEquals("users " + acknowledged, lines.get(acknowledged + 1));
    assertWhole(folder);
    try (FileRecordStore store = FileRecordStore.open(folder, Clock.systemUTC(), null)) {
      assertEquals(acknowledged, store.users(null, 1 << 20).users().size());
      assertTrue(store.readOnly().isEmpty());
    }
  }

  @Test
  void readsAFolderThatItMayNotWrite() throws Exception {
    Path folder = temporary.resolve("state");
    Files.createDirectory(folder);
    Path file = temporary.resolve("file");
    Files.createFile(file);
    String message =
        assertThrows(
                RecordStoreException.class,
                () -> FileRecordStore.open(file.resolve("x"), Clock.systemUTC(), null))
            .getMessage();
    assertTrue(message.contains(" cannot be written: "), message);
    try (FileRecordStore store = FileRecordStore.open(folder, Clock.systemUTC(), null)) {
      store.writeUser(
          new RecordWrite(new RecordName(RecordName.Kind.USER, "u"), null, "1"),
          new Author("ann", "", "", ""));
    }
    // A lock that is a folder cannot be opened, whoever asks, root too.
    Files.delete(folder.resolve("lock"));
    Files.createDirectory(folder.resolve("lock"));
    try (FileRecordStore store = FileRecordStore.open(folder, Clock.systemUTC(), null)) {
      assertEquals("1", store.user("u").orElseThrow().json());
      message =
          assertThrows(
                  RecordStoreException.class,
                  () ->
                      store.writeUser(
                          new RecordWrite(new RecordName(RecordName.Kind.USER, "u"), null, "2"),
                          new Author("ann", "", "", "")))
              .getMessage();
      assertTrue(message.contains("/state cannot be written: "), message);
      assertEquals("1", store.user("u").orElseThrow().json());
    }
  }
}

package dev.weir.proxy.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.records.RecordName.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RulesCopyTest {
  private static final RecordSet SET =
      new RecordSet(
          RecordVersion.parse("17-9f3a21bc"),
          List.of(
              new StoredRecord(
                  new RecordName(Kind.RULE, "chat \"x\""),
                  RecordVersion.parse("17-9f3a21bc"),
                  "{\"id\":\"chat\",\"limit\":1e1,\"s\":\"\\u00e9\\n\"}"),
              new StoredRecord(
                  new RecordName(Kind.PART, "order"), RecordVersion.parse("3-00000000"), "[]")));

  @TempDir Path folder;

  private Path file() {
    return folder.resolve("rules-shop.copy");
  }

  private String fault() {
    return assertThrows(IOException.class, () -> new RulesCopy(folder, "shop").load()).getMessage();
  }

  @Test
  void readsWhatWasWritten() throws IOException {
    RulesCopy copy = new RulesCopy(folder.resolve("new/folder"), "shop");
    assertNull(copy.load(), "none yet");
    copy.save(SET);
    assertEquals(SET, copy.load());
    RecordSet deleted = new RecordSet(RecordVersion.parse("18-00000001"), List.of());
    copy.save(deleted);
    assertEquals(deleted, copy.load());
  }

  @Test
  void readsNothingOfAFileThatIsCutOrChanged() throws IOException {
    new RulesCopy(folder, "shop").save(SET);
    byte[] whole = Files.readAllBytes(file());
    for (int length = 0; length < whole.length; length++) {
      Files.write(file(), Arrays.copyOf(whole, length));
      assertTrue(fault().contains("rules-shop.copy: damaged"), "cut at " + length);
    }
    byte[] changed = new String(whole, StandardCharsets.UTF_8).replace("1e1", "9e9").getBytes();
    Files.write(file(), changed);
    assertTrue(fault().endsWith("damaged (expected: the SHA-256 of all lines as the last)"));
  }

  @Test
  void readsNoCopyOfAnotherService() throws IOException {
    new RulesCopy(folder, "web").save(SET);
    Files.move(folder.resolve("rules-web.copy"), file());
    String told = "format 1 of service web (expected: format 1 of service shop)";
    assertTrue(fault().endsWith(told), fault());
  }
}

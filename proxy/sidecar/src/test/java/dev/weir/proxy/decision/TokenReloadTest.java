package dev.weir.proxy.decision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class TokenReloadTest {
  private static final String FIRST = "first-of-all-tokens";
  private static final String SECOND = "second-of-all-tokens";

  @TempDir private Path folder;
  private Path file;
  private TokenReload reload;

  @BeforeEach
  void start() throws IOException {
    file = folder.resolve("tokens");
    Files.writeString(file, "# ours\n\n" + FIRST + "\n");
    reload = new TokenReload(new DecisionSettings(List.of(), file, true));
  }

  private int find(String token) {
    byte[] value = ("Bearer " + token).getBytes(StandardCharsets.US_ASCII);
    return reload.tokens().find(new UnsafeBuffer(value), 0, value.length);
  }

  private void assertFound(int first, int second) {
    assertEquals(List.of(first, second), List.of(find(FIRST), find(SECOND)));
  }

  @Test
  void takesAChangedFileOnceItWasReadTwice() throws IOException {
    assertFound(1, 0);
    Files.writeString(file, SECOND + "\n");
    reload.poll();
    assertFound(1, 0);
    reload.poll();
    assertFound(0, 1);
    reload.poll();
    assertEquals(1, reload.reloads().takenCount());
    Files.writeString(file, SECOND + "\n" + FIRST);
    reload.reload();
    assertFound(2, 1);
    assertEquals(2, reload.reloads().takenCount());
    assertEquals(0, reload.reloads().rejectedCount());
  }

  @Test
  void keepsTheLastGoodTokensWhileTheFileHasFaultsOrIsGone() throws IOException {
    Files.writeString(file, "short\n");
    reload.poll();
    reload.poll();
    Files.delete(file);
    for (int i = 0; i < 3; i++) {
      reload.poll();
    }
    reload.reload();
    assertFound(1, 0);
    assertEquals(3, reload.reloads().rejectedCount());
    Files.writeString(file, SECOND);
    reload.poll();
    reload.poll();
    assertFound(0, 1);
    assertEquals(1, reload.reloads().takenCount());
  }

  @Test
  void tellsEachReasonWhyTheFileCannotBeUsed() throws IOException {
    Files.delete(file);
    assertFailuresAfterPolls(1);
    Files.createDirectory(file);
    assertFailuresAfterPolls(2);
    Files.delete(file);
    Files.createFile(file);
    assertFailuresAfterPolls(3);
  }

  private void assertFailuresAfterPolls(int failures) {
    for (int i = 0; i < 3; i++) {
      reload.poll();
    }
    assertEquals(failures, reload.reloads().rejectedCount());
  }

  @Test
  void saysOfABadFileWhereItIsBadAndNotWhatItHolds() throws IOException {
    assertFault("# none\n", ": 0 tokens (expected: 1 to 100, one a line)");
    assertFault(
        FIRST + "\ntoo-short\n",
        ":2: not a token (expected: 16 or more characters of ASCII without blanks)");
    assertFault(
        FIRST + " with blanks",
        ":1: not a token (expected: 16 or more characters of ASCII without blanks)");
    Files.write(file, new byte[] {(byte) 0xFF});
    assertFault(": not UTF-8");
    Files.write(file, new byte[(1 << 20) + 1]);
    assertFault(": larger than 1MiB (expected: at most 1MiB)");
    Files.delete(file);
    assertFault(": not found (expected: a file)");
    Files.createDirectory(file);
    assertFault(": a directory (expected: a file)");
  }

  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void waitsForNobodyWhoWouldWriteIntoAPipe() throws IOException, InterruptedException {
    Files.delete(file);
    assertEquals(0, new ProcessBuilder("mkfifo", file.toString()).start().waitFor());
    assertFault(": no file (expected: a file)");
  }

  private void assertFault(String content, String problem) throws IOException {
    Files.writeString(file, content);
    assertFault(problem);
  }

  private void assertFault(String problem) {
    DecisionSettings settings = new DecisionSettings(List.of(), file, true);
    IOException fault = assertThrows(IOException.class, () -> new TokenReload(settings).close());
    assertEquals("decision-tokens: " + file + problem, fault.getMessage());
  }
}

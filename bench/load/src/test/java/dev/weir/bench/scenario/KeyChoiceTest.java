package dev.weir.bench.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.scenario.Body.TextBody;
import dev.weir.proxy.rule.spec.BadValueException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyChoiceTest {
  private static final int PICKS = 200_000;
  private static final String EXPECTED = "one, uniform:N, zipf:N:S, hot:N:P% or file:PATH";

  @TempDir private Path folder;

  private static double[] shares(String text) {
    final KeyChoice keys = KeyChoice.parse(text);
    final KeyChoice.Picker picker = keys.picker(3);
    final double[] shares = new double[keys.names().size()];
    for (int i = 0; i < PICKS; i++) {
      shares[picker.next()] += 1.0 / PICKS;
    }
    return shares;
  }

  @Test
  void oneIsAlwaysTheSame() {
    assertEquals(List.of("key-0"), KeyChoice.parse("one").names());
    assertEquals(1, shares("one")[0], 1e-9);
    assertEquals(1, shares("uniform:1")[0], 1e-9);
  }

  @Test
  void uniformKeysAreAllAlike() {
    for (double share : shares("uniform:100")) {
      assertEquals(0.01, share, 0.0015);
    }
  }

  @Test
  void zipfKeysFollowTheLaw() {
    final double[] shares = shares("zipf:1000:1.2");
    double sum = 0;
    for (int k = 1; k <= 1_000; k++) {
      sum += Math.pow(k, -1.2);
    }
    for (int k : new int[] {1, 2, 3, 10}) {
      assertEquals(Math.pow(k, -1.2) / sum, shares[k - 1], 0.005, "key " + k);
    }
  }

  @Test
  void oneKeyIsHotAndTheOthersAreAlike() {
    final double[] shares = shares("hot:11:75%");
    assertEquals(0.75, shares[0], 0.005);
    for (int i = 1; i < 11; i++) {
      assertEquals(0.025, shares[i], 0.003);
    }
    assertEquals(1, shares("hot:2:100%")[0], 1e-9);
    assertEquals(0, shares("hot:2:0%")[0], 1e-9);
  }

  @Test
  void walkersGoDifferentWaysAndTheSameAgain() {
    final KeyChoice keys = KeyChoice.parse("uniform:1000000");
    final KeyChoice.Picker one = keys.picker(1);
    final KeyChoice.Picker again = keys.picker(1);
    final KeyChoice.Picker other = keys.picker(2);
    boolean different = false;
    for (int i = 0; i < 100; i++) {
      final int key = one.next();
      assertEquals(key, again.next());
      different |= key != other.next();
    }
    assertTrue(different);
  }

  @Test
  void aFileHasAKeyOnEachLine() throws IOException {
    final Path file = folder.resolve("keys");
    Files.writeString(file, "a\r\n\n\u00e9\nb\n", StandardCharsets.UTF_8);
    final List<String> names = KeyChoice.parse("file:" + file).names();
    assertEquals("a", names.get(0));
    assertEquals("b", names.get(2));
    assertEquals(
        "\u00e9",
        new String(names.get(1).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
  }

  @Test
  void theBytesOfAKeyStandInABodyAsTheyAreInTheFile() throws IOException {
    final Path file = folder.resolve("keys");
    Files.writeString(file, "\u00e9\n", StandardCharsets.UTF_8);
    final String key = KeyChoice.parse("file:" + file).names().get(0);
    assertEquals(
        "\u00fc-\u00e9-\u20ac",
        new String(new TextBody("\u00fc-{key}-\u20ac").bytes(key), StandardCharsets.UTF_8));
  }

  @Test
  void aFileWithoutKeysIsRefused() throws IOException {
    final Path file = folder.resolve("keys");
    final String name = "file:" + file;
    Files.writeString(file, "\n\n");
    assertFault(name, name + " (expected: 1 to 1000000 lines that are not empty, found 0)");
    Files.writeString(file, "a\nb c\n");
    assertFault(name, name + " (expected: keys without blanks or control characters: b c)");
    Files.writeString(file, "a\n".repeat(1_000_001));
    assertFault(name, name + " (expected: 1 to 1000000 lines that are not empty, found 1000001)");
    assertFault("file:" + folder, "file:" + folder + " (expected: a file that can be read");
    assertFault("file:/no/such", "file:/no/such (expected: a file that can be read");
    assertFault("file:a\0b", "file:a\0b (expected: a file that can be read");
    assertFalse(message("file:").isEmpty());
  }

  @Test
  void aFileThatIsTooLongIsNotRead() throws IOException {
    final Path file = folder.resolve("keys");
    try (java.io.RandomAccessFile sparse = new java.io.RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(2L << 30);
    }
    assertFault("file:" + file, "file:" + file + " (expected: at most 67108864 bytes");
  }

  @Test
  void namesWhatIsWrong() {
    for (String text :
        List.of(
            "",
            "two",
            "one:1",
            "uniform",
            "uniform:1:2",
            "zipf:10",
            "zipf:10:x",
            "zipf:10:11",
            "zipf:10:-1",
            "hot:10:50",
            "hot:10:101%",
            "hot:10:%",
            "file:",
            "random:10")) {
      assertEquals((text + " (expected: " + EXPECTED + ")"), message(text), "[" + text + "]");
    }
    for (String text :
        List.of("uniform:0", "uniform:1000001", "uniform:x", "uniform:99999999", "zipf:0:1")) {
      assertEquals(text + " (expected: 1 to 1000000 keys)", message(text));
    }
    assertEquals("hot:1:50% (expected: 2 to 1000000 keys)", message("hot:1:50%"));
  }

  private static String message(String text) {
    return assertThrows(BadValueException.class, () -> KeyChoice.parse(text), text).getMessage();
  }

  private static void assertFault(String text, String start) {
    assertTrue(message(text).startsWith(start), message(text));
  }
}

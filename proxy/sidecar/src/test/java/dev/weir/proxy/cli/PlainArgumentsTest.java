package dev.weir.proxy.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.SettingKind;
import dev.weir.proxy.control.SettingRow;
import dev.weir.proxy.wiring.RunArguments;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The reader of plain command lines beside picocli, which reads all of them. */
class PlainArgumentsTest {
  private static final int LINES = 3_000;
  private static final int MOST_FLAGS = 6;

  /** Words that are a text in one place and mean something in another. */
  private static final List<String> TEXTS =
      List.of(
          "10/1m",
          "a=b",
          "=",
          "a,b",
          ",",
          "run",
          "help",
          "true",
          "x y",
          "\"q\"",
          "'q'",
          "ü",
          "0",
          "http://127.0.0.1:1",
          "[::1]:0",
          "header:x-user-id",
          "on",
          "${x}",
          "a@b",
          "#",
          "\\");

  /** Texts that may be more than that. */
  private static final List<String> ODD =
      List.of(
          "", "\0", "-", "--", "-5", "@", "@file", "@@", "-c", "--help", "-h", "--limit",
          "--xyzzy");

  private final CommandLine commandLine = WeirCommand.commandLine();

  /** What picocli makes of a line; null if it does not take it for a line of {@code run}. */
  private RunArguments byPicocli(String[] line) {
    try {
      CommandLine.ParseResult parsed = commandLine.parseArgs(line);
      if (!parsed.hasSubcommand()) {
        return null;
      }
      CommandLine.ParseResult run = parsed.subcommand();
      return run.isUsageHelpRequested() || run.isVersionHelpRequested()
          ? null
          : ((RunCommand) run.commandSpec().userObject()).arguments();
    } catch (CommandLine.ParameterException refused) {
      return null;
    }
  }

  private static <T> T any(Random random, List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  /** Known flags in any order, each with a text in one of the two ways, or bare where it may be. */
  private static List<String> plainLine(Random random) {
    List<String> line = new ArrayList<>(List.of("run"));
    List<SettingRow<?>> left = new ArrayList<>(RunFlags.ALL);
    if (random.nextInt(4) == 0) {
      String text = any(random, TEXTS);
      switch (random.nextInt(4)) {
        case 0 -> line.addAll(List.of("-c", text));
        case 1 -> line.addAll(List.of("--config", text));
        case 2 -> line.add("-c=" + text);
        default -> line.add("--config=" + text);
      }
    }
    for (int i = random.nextInt(MOST_FLAGS + 1); i > 0; i--) {
      SettingRow<?> row = any(random, left);
      if (!row.kind().isRepeatable()) {
        left.remove(row);
      }
      String text = any(random, TEXTS);
      if (row.kind().bareText() != null && random.nextBoolean()) {
        line.add(row.flag());
        if (random.nextBoolean()) {
          line.add(text);
        }
      } else if (random.nextBoolean()) {
        line.add(row.flag() + "=" + text);
      } else {
        line.addAll(List.of(row.flag(), text));
      }
    }
    return line;
  }

  @Test
  void plainLinesAreReadAsByPicocli() {
    Random random = new Random(16);
    for (int i = 0; i < LINES; i++) {
      String[] line = plainLine(random).toArray(String[]::new);
      RunArguments plain = PlainArguments.read(line);
      assertNotNull(plain, () -> Arrays.toString(line));
      assertSame(byPicocli(line), plain, line);
    }
  }

  /**
   * With words that are odd, missing or put twice: what is not left to picocli is read as by it.
   */
  @Test
  void noLineIsReadInAnotherWayThanByPicocli() {
    Random random = new Random(17);
    int read = 0;
    for (int i = 0; i < LINES; i++) {
      List<String> words = plainLine(random);
      for (int changes = random.nextInt(3); changes >= 0; changes--) {
        int at = 1 + random.nextInt(words.size());
        switch (random.nextInt(4)) {
          case 0 -> words.add(at, any(random, ODD));
          case 1 -> words.add(at, any(random, TEXTS));
          case 2 -> words.add(at, any(random, RunFlags.ALL).flag());
          default -> words.remove(random.nextInt(words.size()));
        }
        if (words.isEmpty()) {
          words.add("run");
        }
      }
      String[] line = words.toArray(String[]::new);
      RunArguments plain = PlainArguments.read(line);
      if (plain != null) {
        read++;
        assertSame(byPicocli(line), plain, line);
      }
    }
    assertTrue(read > LINES / 20, read + " of " + LINES + " lines were read");
  }

  private static void assertSame(RunArguments expected, RunArguments plain, String[] line) {
    assertEquals(expected, plain, () -> Arrays.toString(line));
    assertEquals(
        List.copyOf(expected.flags().keySet()),
        List.copyOf(plain.flags().keySet()),
        () -> "the order of " + Arrays.toString(line));
  }

  @Test
  void aSwitchNeedsNoText() {
    SettingRow<?> row =
        RunFlags.ALL.stream()
            .filter(any -> any.kind() == SettingKind.SWITCH)
            .findFirst()
            .orElseThrow();
    RunArguments plain = PlainArguments.read(new String[] {"run", row.flag(), "-c", "a.yaml"});
    assertEquals("true", plain.flags().get(row.flag()));
    assertEquals(Path.of("a.yaml"), plain.file());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "demo",
        "help run",
        "--version",
        "run --help",
        "run -h",
        "run --limit",
        "run --limit --burst 1",
        "run --limt 1/1s",
        "run --limit 1/1s stray",
        "run --limit 1/1s --limit 2/1s",
        "run --limit=",
        "run -c a -c b",
        "run -ca",
        "run -c",
        "run -c a\0b",
        "run @flags",
        "run --burst -5",
        "run --",
      })
  void whatMayWantAnExplanationIsLeftToPicocli(String line) {
    assertNull(PlainArguments.read(line.isEmpty() ? new String[0] : line.split(" ")));
  }
}

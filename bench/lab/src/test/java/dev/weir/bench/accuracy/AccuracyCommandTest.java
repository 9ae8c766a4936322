package dev.weir.bench.accuracy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class AccuracyCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  private int run(String... args) {
    return new CommandLine(new AccuracyCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "--requests | 999 | --requests: 999 (expected: from 1000 to 5000000)",
        "--requests | 5000001 | --requests: 5000001 (expected: from 1000 to 5000000)",
        "--requests | many | 'many' is not an int",
        "--requests | -1 | --requests: -1 (expected: from 1000 to 5000000)",
        "--keys | 9 | --keys: 9 (expected: from 10 to 16383)",
        "--keys | 16384 | --keys: 16384 (expected: from 10 to 16383)",
        "--exponent | -0.1 | --exponent: -0.1 (expected: from 0 to 3)",
        "--exponent | NaN | --exponent: NaN (expected: from 0 to 3)",
        "--exponent | Infinity | --exponent: Infinity (expected: from 0 to 3)",
        "--seed | 1.5 | '1.5' is not a long",
        "--colour | red | Unknown option",
      })
  void aWrongArgumentIsNamedWithWhatWasExpected(String name, String value, String message) {
    assertEquals(2, run(name, value));
    assertTrue(err.toString().contains(message), err.toString());
    assertEquals("", out.toString());
  }

  @Test
  void aFolderInPlaceOfTheFileIsWrong() {
    assertEquals(2, run("--out", folder.toString()));
    assertTrue(err.toString().contains("--out: " + folder + " (expected: a file"), err.toString());
  }

  @Test
  void aSmallRunWritesTheSameReportTwice() throws IOException {
    final Path file = folder.resolve("accuracy.md");
    final String[] args = {"--requests", "1000", "--keys", "50", "--out", file.toString()};
    assertEquals(0, run(args));
    final String report = Files.readString(file);
    assertEquals(report, out.toString());
    assertTrue(report.contains("| sliding-log            |    0 / 0 |"), report);
    assertFalse(report.contains("NaN"), report);
    assertEquals(0, run(args));
    assertEquals(report, Files.readString(file));
  }
}

package dev.weir.bench.accuracy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xml.sax.InputSource;
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
    assertEquals(2, run(name, value, "--out", folder.toString()));
    assertTrue(err.toString().contains(message), err.toString());
    assertEquals("", out.toString());
  }

  @Test
  void aFileInPlaceOfTheFolderIsWrong() throws IOException {
    final Path file = Files.createFile(folder.resolve("file"));
    assertEquals(2, run("--out", file.toString()));
    assertTrue(err.toString().contains("--out: " + file + " (expected: a folder"), err.toString());
  }

  @Test
  void aSmallRunWritesTheSameReportTwice() throws Exception {
    final String[] args = {"--requests", "1000", "--keys", "50", "--out", folder.toString()};
    assertEquals(0, run(args));
    final String report = Files.readString(folder.resolve("accuracy.md"));
    final String csv = Files.readString(folder.resolve("accuracy.csv"));
    final String svg = Files.readString(folder.resolve("accuracy.svg"));
    assertEquals(report, out.toString());
    assertTrue(report.contains("| sliding-log            |    0 / 0 |"), report);
    assertFalse(report.contains("NaN"), report);
    assertFalse(csv.contains("NaN"), csv);
    assertFalse(svg.contains("NaN"), svg);
    assertEquals(
        "svg",
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(svg)))
            .getDocumentElement()
            .getTagName());
    final long columns = csv.lines().findFirst().orElseThrow().split(",").length;
    csv.lines()
        .forEach(
            line ->
                assertEquals(
                    columns, line.replaceAll("\"[^\"]*\"", "").split(",", -1).length, line));
    assertEquals(0, run(args));
    assertEquals(report, Files.readString(folder.resolve("accuracy.md")));
    assertEquals(csv, Files.readString(folder.resolve("accuracy.csv")));
    assertEquals(svg, Files.readString(folder.resolve("accuracy.svg")));
  }
}

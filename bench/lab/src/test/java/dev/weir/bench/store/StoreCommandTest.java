package dev.weir.bench.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class StoreCommandTest {
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @CsvSource({
    "--rounds, 0, from 1 to 100",
    "--rounds, 101, from 1 to 100",
    "--seconds, 0.04, from 0.05 to 60.0",
    "--seconds, 61.0, from 0.05 to 60.0",
    "--seconds, NaN, from 0.05 to 60.0",
    "--only, batch, 'any of call, pipelined-16, '",
    "--out, no/such/folder/x.md, a file in a folder that exists",
    "--out, target, a file in a folder that exists",
    "--redis-server, no/such/program, a program"
  })
  void wrongInputIsNamedBesideWhatWasExpected(String option, String value, String expected) {
    final CommandLine commandLine = new CommandLine(new StoreCommand());
    commandLine.setErr(new PrintWriter(err, true));
    assertEquals(CommandLine.ExitCode.USAGE, commandLine.execute(option, value));
    assertTrue(
        err.toString().startsWith(option + ": " + value + " (expected: " + expected),
        err.toString());
  }
}

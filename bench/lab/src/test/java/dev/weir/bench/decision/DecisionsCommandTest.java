package dev.weir.bench.decision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class DecisionsCommandTest {
  @ParameterizedTest
  @CsvSource({
    "--parts, redis, 'any of calls, store, http'",
    "--calls, Check, 'any of CheckRateLimit, CheckRateLimits, ShouldRateLimit'",
    "--servers, envoy, 'any of grpc-java, echo-io_uring, echo-epoll, weir-io_uring, weir-epoll'",
    "--seconds, NaN, from 0.1 to 60.0",
    "--warm-up, 6, a duration such as 500ms",
    "--warm-up, 11m, at most 10m",
    "--rounds, 0, from 1 to 100",
    "--out, no/such/folder/x.md, a file in a folder that exists"
  })
  void wrongInputIsNamedBesideWhatWasExpected(String option, String value, String expected) {
    final StringWriter err = new StringWriter();
    final CommandLine commandLine = new CommandLine(new DecisionsCommand());
    commandLine.setErr(new PrintWriter(err, true));
    assertEquals(CommandLine.ExitCode.USAGE, commandLine.execute(option + "=" + value));
    final String message = option + ": " + value + " (expected: " + expected;
    assertTrue(err.toString().startsWith(message), err.toString());
  }
}

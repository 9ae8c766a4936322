package dev.weir.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class CompareCommandTest {
  private final StringWriter err = new StringWriter();

  private void assertWrong(String message, String... arguments) {
    final CommandLine commandLine = new CommandLine(new CompareCommand());
    commandLine.setErr(new PrintWriter(err, true));
    assertEquals(CommandLine.ExitCode.USAGE, commandLine.execute(arguments));
    assertTrue(err.toString().startsWith(message), err.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "--parts, proxies, 'any of proxy, store'",
    "--cases, PASS, 'any of pass, refuse'",
    "--keys, 0, from 1 to 1000000",
    "--keys, 1000001, from 1 to 1000000",
    "--protocols, h3, 'any of http/1.1, h2, grpc, https, h2-tls, handshakes, resumed'",
    "--contenders, envoy, 'any of nginx, haproxy, weir-io_uring, weir-epoll'",
    "--earlier, no/such/folder, 'a folder with the launcher, weir'",
    "--rules, 0, from 1 to 10000",
    "--rules, 10001, from 1 to 10000",
    "--connections, 0, from 1 to 256",
    "--connections, 257, from 1 to 256",
    "--connections, 8x0, 'from 1 to 256, or CONNECTIONSxSTREAMS with at most 100'",
    "--connections, 8x101, 'from 1 to 256, or CONNECTIONSxSTREAMS with at most 100'",
    "--connections, x8, from 1 to 256",
    "--rounds, 0, from 1 to 100",
    "--seconds, 0.05, from 0.1 to 60.0",
    "--seconds, NaN, from 0.1 to 60.0",
    "--warm-up, 6, a duration such as 500ms",
    "--warm-up, 11m, at most 10m",
    "--out, no/such/folder/x.md, a file in a folder that exists"
  })
  void wrongInputIsNamedBesideWhatWasExpected(String option, String value, String expected) {
    assertWrong(option + ": " + value + " (expected: " + expected, option + "=" + value);
  }

  @Test
  void oneWrongValueOfSeveralIsNamedAlone() {
    assertWrong("--keys: 0 (expected: ", "--keys", "1,0");
  }
}

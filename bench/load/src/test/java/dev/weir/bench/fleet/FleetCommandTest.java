package dev.weir.bench.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class FleetCommandTest {
  @ParameterizedTest
  @CsvSource({
    "--parts, redis, 'any of load, faults, at-once, proxied'",
    "--modes, fast, 'any of local, exact, leased'",
    "--modes, local, 'exact or leased among them, as faults and at-once need the store'",
    "--faults, meteor, 'any of none, reply-lost,'",
    "--algorithm, quick, 'any of gcra, token-bucket,'",
    "--limit, 10, a rate such as",
    "--limit, 0/1s, ",
    "--limit, 10/1month, a window of one length such as 30d",
    "--limit, 5000/1s, 'from 1 to 4096, as the mode is leased'",
    "--sidecars, 0, from 1 to 64",
    "--sidecars, 65, from 1 to 64",
    "--shards, 17, from 1 to 16",
    "--keys, 0, from 1 to 1000",
    "--load, NaN, 'more than 0, at most 100.0'",
    "--load, 0.0, 'more than 0, at most 100.0'",
    "--load, 50.0, '1 to 200000 requests/s of a mode, not 500000.0, in part load'",
    "--requests, 0, from 1 to 10000",
    "--seconds, NaN, from 0.5 to 600.0",
    "--warm-up, 6, a duration such as 500ms",
    "--warm-up, 11m, at most 10m",
    "--deadline, 2s, from 1ms to 1s",
    "--rounds, 0, from 1 to 100",
    "--out, no/such/folder/x.md, a file in a folder that exists",
    "--page, no/such/folder/x.html, a file in a folder that exists"
  })
  void wrongInputIsNamedBesideWhatWasExpected(String option, String value, String expected) {
    final StringWriter err = new StringWriter();
    final CommandLine commandLine = new CommandLine(new FleetCommand());
    commandLine.setErr(new PrintWriter(err, true));
    assertEquals(CommandLine.ExitCode.USAGE, commandLine.execute(option + "=" + value));
    final String message =
        option + ": " + value + " (expected: " + (expected == null ? "" : expected);
    assertTrue(err.toString().startsWith(message), err.toString());
  }

  @Test
  void theHelpNamesEachFault() {
    final String help = new CommandLine(new FleetCommand()).getUsageMessage().replace("\n", " ");
    Arrays.stream(Fault.values())
        .forEach(fault -> assertTrue(help.matches(".*[ :]" + fault + "[,.].*"), fault.toString()));
  }
}

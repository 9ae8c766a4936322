package dev.weir.bench.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.BenchCommandLine;
import dev.weir.proxy.manual.ManualPage;
import dev.weir.proxy.wiring.Program;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class SimulateCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int simulate(String... flags) {
    CommandLine commandLine = BenchCommandLine.of(new SimulateCommand());
    commandLine.setOut(new PrintWriter(out));
    commandLine.setErr(new PrintWriter(err));
    return commandLine.execute(flags);
  }

  @Test
  void explainsItselfToStandardOutput() {
    assertEquals(Program.OK, simulate("--help"));
    assertTrue(out.toString().startsWith("Usage: weir simulate "), out::toString);
    assertEquals("", err.toString());
  }

  @Test
  void namesTheNearestOfItsFlags() {
    assertEquals(Program.WRONG, simulate("--limt=10/1s"));
    assertTrue(err.toString().contains("Did you mean --limit?"), err::toString);
  }

  static Stream<String> commandsOfTheManual() {
    return ManualPage.blocks("sh").stream()
        .flatMap(block -> block.commands().stream())
        .filter(command -> command.startsWith("./weir simulate "));
  }

  @ParameterizedTest
  @MethodSource("commandsOfTheManual")
  void takesWhatTheManualShows(String command) {
    List<String> words = ManualPage.words(command);
    BenchCommandLine.of(new SimulateCommand())
        .parseArgs(words.subList(2, words.size()).toArray(new String[0]));
  }

  @Test
  void printsALineForEachSizeAndMode() {
    int code =
        simulate("--limit=200/1s", "--sidecars=2,5", "--mode=leased,exact,local", "--seconds=1");
    assertEquals(Program.OK, code, err::toString);
    List<String> lines = out.toString().lines().toList();
    assertEquals("190 requests/s for 1 s, limit 200/1s, gcra", lines.get(0));
    assertEquals(
        List.of("leased 2", "exact 2", "local 2", "leased 5", "exact 5", "local 5"),
        lines.stream().skip(3).map(line -> line.replaceAll(" +", " ")).map(this::start).toList());
  }

  @Test
  void takesLivesBurstsCostsAndAFailover() {
    int code =
        simulate(
            "--limit=200/1s",
            "--mode=leased",
            "--seconds=1",
            "--cost=2",
            "--lease-life=500ms",
            "--bursts=100ms/100ms",
            "--failover=0us");
    assertEquals(Program.OK, code, err::toString);
    assertEquals(
        "95 requests/s for 1 s, limit 200/1s, gcra", out.toString().lines().findFirst().get());
  }

  private String start(String line) {
    String[] words = line.split(" ");
    return words[0] + " " + words[1];
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --algorithm=lease      | --algorithm: lease (expected: gcra, token-bucket, leaky-bucket, fixed-window,
          --limit=0/1s           | --limit: 0/1s (expected: 1 or more per window)
          --limit=10/1month      | --limit: 10/1month (expected: a window of one length such as 30d)
          --burst=0              | --burst: 0 (expected: a number, 1 to 999999999999999)
          --lease-life=2s        | --lease-life: 2s (expected: 1ms to 10s, and at most the window)
          --lease-life=0ms       | --lease-life: 0ms (expected: 1ms to 10s, and at most the window)
          --cost=0               | --cost: 0 (expected: a number, 1 to 10000)
          --cost=10001           | --cost: 10001 (expected: a number, 1 to 10000)
          --bursts=1s            | --bursts: 1s (expected: two times such as 250ms/750ms, each from 1ms to 1h)
          --bursts=1s/x          | --bursts: 1s/x (expected: two times such as 250ms/750ms, each from 1ms to 1h)
          --failover=11s         | --failover: 11s (expected: 0us to 10s)
          --mode=leased,often    | --mode: often (expected: local, exact, leased or auto)
          --sidecars=10,10001    | --sidecars: 10001 (expected: numbers from 1 to 10000)
          --sidecars=            | --sidecars:  (expected: numbers from 1 to 10000)
          --load=0               | --load: 0 (expected: a number, 0.001 to 100)
          --load=NaN             | --load: NaN (expected: a number, 0.001 to 100)
          --keys=1000000         | --keys: 1000000 (expected: at most 20000 with 50 sidecars)
          --shards=0             | --shards: 0 (expected: a number, 1 to 1000)
          --seconds=0            | --seconds: 0 (expected: a number, 1 to 3600)
          --delay=1              | --delay: 1 (expected: 1us to 1s)
          --slow=1.5             | --slow: 1.5 (expected: a number, 0 to 1)
          --deadline=2s          | --deadline: 2s (expected: 1ms to 1s)
          --loss=-1              | --loss: -1 (expected: a number, 0 to 1)
          --crash-every=1ms      | --crash-every: 1ms (expected: 10ms or more)
          --drift=1.5            | --drift: 1.5 (expected: a number, 0 to 500000)
          --seed=x               | --seed: x (expected: a number, 0 or more)
          """)
  void saysWhatIsWrongAndWhatWasExpected(String flag, String fault) {
    assertEquals(Program.WRONG, simulate(flag));
    assertTrue(err.toString().startsWith(fault), err::toString);
    assertEquals("", out.toString());
  }

  @Test
  void tellsAllFaultsAtOnce() {
    assertEquals(Program.WRONG, simulate("--limit=x", "--load=y", "--seed=z"));
    assertEquals(4, err.toString().lines().count(), err::toString);
  }

  @Test
  void refusesARunOfTooManyRequests() {
    assertEquals(Program.WRONG, simulate("--limit=1000000/1s", "--seconds=3600"));
    assertTrue(
        err.toString().startsWith("--seconds: 3600 (expected: at most 200000000 requests in all"),
        err::toString);
  }

  @Test
  void refusesALimitThatTheStoreCannotCount() {
    assertEquals(Program.WRONG, simulate("--algorithm=sliding-log", "--limit=5000/1s"));
    assertTrue(err.toString().startsWith("--limit: 5000/1s (expected: "), err::toString);
  }
}

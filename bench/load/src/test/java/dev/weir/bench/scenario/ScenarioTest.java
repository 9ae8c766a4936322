package dev.weir.bench.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.loop.TransportKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Scenarios from files and flags. */
class ScenarioTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final String NO_TARGET =
      "targets: none (expected: at least one, such as http://127.0.0.1:8000/)";
  private static final String NO_LOAD = "the load: missing (expected: one of rate, load and max)";

  @TempDir private Path folder;

  @Command(modelTransformer = ScenarioFlags.class)
  private static final class Flags {
    @Spec private CommandSpec spec;
  }

  private static Scenario read(String... args) throws BadScenarioException {
    final Flags command = new Flags();
    new CommandLine(command).parseArgs(args);
    return ScenarioFlags.scenario(command.spec);
  }

  /** A file beside flags. */
  private Scenario file(String yaml, String... args) throws BadScenarioException, IOException {
    final List<String> all = new ArrayList<>(List.of("--scenario", write(yaml)));
    all.addAll(List.of(args));
    return read(all.toArray(String[]::new));
  }

  private String write(String yaml) throws IOException {
    return Files.writeString(folder.resolve("s.yaml"), yaml).toString();
  }

  /** All faults, in which the file is named FILE. */
  private List<String> faults(String yaml, String... args) {
    final BadScenarioException bad =
        assertThrows(BadScenarioException.class, () -> file(yaml, args), yaml);
    return bad.getMessage().replace(folder.resolve("s.yaml").toString(), "FILE").lines().toList();
  }

  private static List<String> flagFaults(String... args) {
    return assertThrows(BadScenarioException.class, () -> read(args)).getMessage().lines().toList();
  }

  @Test
  void aNameMadeOfAUrlDoesNotTellItsToken() throws BadScenarioException {
    assertEquals(
        "GET http://127.0.0.1:8000/a?token=...",
        read("http://127.0.0.1:8000/a?token=7", "--max").name());
  }

  @Test
  void streamsAreNoneOfHttp1() {
    assertEquals(
        List.of("--streams: 4 (expected: 1, or a protocol of HTTP/2)"),
        flagFaults("http://127.0.0.1:8000/a", "-r", "100", "--streams", "4"));
  }

  @Test
  void aUrlAndARateAreEnough() throws BadScenarioException {
    final Scenario scenario = read("http://127.0.0.1:8000/a", "-r", "100");
    assertEquals("GET http://127.0.0.1:8000/a", scenario.name());
    assertEquals(10 * SECOND_NS, scenario.load().durationNs());
    assertEquals(2 * SECOND_NS, scenario.load().warmUpNs());
    assertEquals(1_000, scenario.load().schedule().count(), 1e-6);
    final ClientSettings client = scenario.client();
    assertEquals(Protocol.HTTP1, client.protocol());
    assertEquals(16, client.connections());
    assertEquals(1, client.streams());
    assertEquals(Runtime.getRuntime().availableProcessors(), client.eventLoops());
    assertEquals(ClientSettings.usualTransport(), client.transport());
    assertEquals(5 * SECOND_NS, client.timeoutNs());
    assertNull(client.tls().authorities());
    assertFalse(client.tls().insecure());
    assertTrue(client.tls().resumes());
    assertEquals(ClientSettings.NO_END, client.requestsPerConnection());
    assertEquals(List.of(), scenario.thresholds());
  }

  @Test
  void everyFlagIsHeard() throws BadScenarioException, IOException {
    final Path keys = Files.writeString(folder.resolve("keys"), "a\nb\n");
    final Scenario scenario =
        read(
            ("--name n --max --duration 3s --warm-up 0 --connections 5 --protocol h2 --streams 7"
                    + " --method PUT --header a:b --header c:{key} --body x --keys file:"
                    + keys
                    + " --timeout 2s --threshold p99<1s --threshold errors==0 --event-loops 3"
                    + " --transport nio --insecure --no-resumption --requests-per-connection 9"
                    + " http://a/ https://b/")
                .split(" "));
    assertEquals("n", scenario.name());
    assertFalse(scenario.load().open());
    assertEquals(3 * SECOND_NS, scenario.load().durationNs());
    assertEquals(0, scenario.load().warmUpNs());
    assertEquals(5, scenario.client().connections());
    assertEquals(Protocol.HTTP2, scenario.client().protocol());
    assertEquals(7, scenario.client().streams());
    assertEquals(3, scenario.client().eventLoops());
    assertEquals(TransportKind.NIO, scenario.client().transport());
    assertEquals(2 * SECOND_NS, scenario.client().timeoutNs());
    assertTrue(scenario.client().tls().insecure());
    assertFalse(scenario.client().tls().resumes());
    assertEquals(9, scenario.client().requestsPerConnection());
    assertEquals(List.of("a", "b"), scenario.keys().names());
    assertEquals(2, scenario.thresholds().size());
    assertEquals(2, scenario.requests().size());
    final RequestSpec first = scenario.requests().get(0);
    assertEquals("PUT", first.method());
    assertEquals(List.of(new Field("a", "b"), new Field("c", "{key}")), first.fields());
    assertArrayEquals("x".getBytes(StandardCharsets.UTF_8), first.body().bytes(""));
    assertTrue(scenario.requests().get(1).target().tls());
  }

  @Test
  void aFileSaysTheSameAsFlags() throws BadScenarioException, IOException {
    final Scenario scenario =
        file(
            """
            name: noon
            targets: http://a/
            requests:
              - {target: "http://b/{key}", weight: 3, method: DELETE}
              - target: http://c/
                body: "{key}"
                headers: {x: own, z: own}
            headers: {x: "{key}", y: all}
            keys: uniform:10
            load: ["rate=5,for=2s", {for: 2s, rate: 10}, {ramp: 10..20, for: 2s}]
            thresholds: p99<2ms
            """);
    assertEquals(10 + 20 + 30, scenario.load().schedule().count(), 1e-6);
    assertEquals(6 * SECOND_NS, scenario.load().durationNs());
    final List<RequestSpec> requests = scenario.requests();
    assertEquals("DELETE", requests.get(0).method());
    assertEquals(3, requests.get(0).weight());
    assertEquals("POST", requests.get(1).method());
    assertEquals(
        List.of(new Field("y", "all"), new Field("x", "own"), new Field("z", "own")),
        requests.get(1).fields());
    assertEquals(List.of(new Field("x", "{key}"), new Field("y", "all")), requests.get(2).fields());
  }

  @Test
  void whatARequestSaysWinsOverWhatAllSay() throws BadScenarioException, IOException {
    final Path other = Files.writeString(folder.resolve("body"), "file");
    final Scenario scenario =
        file(
            "rate: 10\nbody: all\nmethod: PUT\nrequests:\n  - {target: http://a/, body-file: "
                + other
                + "}\n  - {target: http://b/, method: PATCH}\n");
    assertArrayEquals("file".getBytes(StandardCharsets.UTF_8), body(scenario, 0));
    assertArrayEquals("all".getBytes(StandardCharsets.UTF_8), body(scenario, 1));
    assertEquals("PUT", scenario.requests().get(0).method());
    assertEquals("PATCH", scenario.requests().get(1).method());
  }

  private static byte[] body(Scenario scenario, int request) {
    return scenario.requests().get(request).body().bytes("");
  }

  @Test
  void flagsWinOverTheFile() throws BadScenarioException, IOException {
    final String yaml =
        """
        name: f
        rate: 10
        duration: 7s
        connections: 3
        body-file: /no/such
        thresholds: [p99<2ms]
        headers: {X: file, y: file}
        requests:
          - {target: http://a/, method: PUT, headers: {x: request}}
        """;
    final Scenario scenario =
        file(
            yaml,
            "--name",
            "g",
            "--connections",
            "4",
            "--body",
            "b",
            "-X",
            "PATCH",
            "-H",
            "x: 1",
            "-H",
            "x: 2",
            "-t",
            "errors==0");
    assertEquals("g", scenario.name());
    assertEquals(4, scenario.client().connections());
    assertEquals(70, scenario.load().schedule().count(), 1e-6);
    assertEquals("errors==0", scenario.thresholds().get(0).text());
    assertEquals(1, scenario.thresholds().size());
    assertArrayEquals("b".getBytes(StandardCharsets.UTF_8), body(scenario, 0));
    assertEquals("PATCH", scenario.requests().get(0).method());
    assertEquals(
        List.of(new Field("y", "file"), new Field("x", "1"), new Field("x", "2")),
        scenario.requests().get(0).fields());
    final String[] url = {"http://c/", "--body", "b"};
    assertEquals(
        "http://c", file(yaml, url).requests().get(0).target().toString(), "instead of the file's");
  }

  @Test
  void oneWayOfSayingHowMuchReplacesTheOthers() throws BadScenarioException, IOException {
    final String stages = "targets: http://a/\nload: {rate: 5, for: 2s}\n";
    final String rate = "targets: http://a/\nrate: 5\nduration: 3s\n";
    final String max = "targets: http://a/\nmax: true\nduration: 3s\n";
    assertEquals(30, file(max, "-r", "10").load().schedule().count(), 1e-6);
    assertEquals(100, file(stages, "-r", "10").load().schedule().count(), 1e-6);
    assertEquals(3 * SECOND_NS, file(rate, "--max").load().durationNs());
    assertFalse(file(rate, "--max").load().open());
    assertEquals(4, file(rate, "-l", "rate=2,for=2s").load().schedule().count(), 1e-6);
    assertEquals(4, file(stages, "-l", "rate=2,for=2s").load().schedule().count(), 1e-6);
  }

  @Test
  void namesLineAndColumnOfWhatIsWrong() {
    final String target = "targets: http://a/\n";
    final String right = target + "rate: 10\n";
    final String[][] table = {
      {target + "rate: x\n", "FILE:2:7: rate: x (expected: a number from 0 to 10000000)"},
      {target + "rate: 0\n", "FILE:2:7: rate: 0 (expected: a request in the duration)"},
      {right + "rate: 11\n", "FILE:3:1: rate: a second time (expected: once)"},
      {right + "name: [a]\n", "FILE:3:7: name: a list or a section (expected: a single value)"},
      {right + "name: {a: b}\n", "FILE:3:7: name: a list or a section (expected: a single value)"},
      {right + "name: \"a\\nb\"\n", "FILE:3:7: name: a\\nb (expected: one line)"},
      {
        right + "connections: 0\n",
        "FILE:3:14: connections: 0 (expected: a whole number from 1 to 60000)"
      },
      {
        right + "connections: 1.5\n",
        "FILE:3:14: connections: 1.5 (expected: a whole number from 1 to 60000)"
      },
      {
        right + "protocol: http/3\n",
        "FILE:3:11: protocol: http/3 (expected: http/1.1, h2, h2c or grpc)"
      },
      {
        right + "transport: kqueue\n",
        "FILE:3:12: transport: kqueue (expected: auto, io_uring, epoll, nio)"
      },
      {right + "insecure: yes\n", "FILE:3:11: insecure: yes (expected: true or false)"},
      {
        right + "max: true\n",
        "the load: said in several ways (expected: one of rate, load and max)"
      },
      {
        right + "load: {rate: 1, for: 1s}\n",
        "the load: said in several ways (expected: one of rate, load and max)"
      },
      {right + "duration: 2d\n", "FILE:3:11: duration: 2d (expected: at most 1d)"},
      {right + "warm-up: 25h\n", "FILE:3:10: warm-up: 25h (expected: at most 1d)"},
      {right + "timeout: 2h\n", "FILE:3:10: timeout: 2h (expected: at most 1h)"},
      {
        right + "timeout: 5\n",
        "FILE:3:10: timeout: 5 (expected: a duration such as 500ms, 10s, 5m, 1h or 1d)"
      },
      {right + "method: get\n", "FILE:3:9: method: get (expected: a method such as GET)"},
      {
        right + "method: CONNECT\n",
        "FILE:3:9: method: CONNECT (expected: a method whose answer ends)"
      },
      {
        right + "body-file: /no/such\n",
        "FILE:3:12: body-file: /no/such (expected: a file that can be read)"
      },
      {right + "ca: \"a\\0b\"\n", "FILE:3:5: ca: a\0b (expected: a file that can be read)"},
      {
        right + "keys: some\n",
        "FILE:3:7: keys: some (expected: one, uniform:N, zipf:N:S, hot:N:P% or file:PATH)"
      },
      {
        right + "keys: uniform:5\n",
        "FILE:3:7: keys: uniform:5 (expected: {key} in a target, a header or a body, for it to stand there)"
      },
      {right + "headers: [nothing]\n", "FILE:3:11: headers[0]: nothing (expected: NAME: VALUE)"},
      {
        right + "headers: {a: [b]}\n",
        "FILE:3:14: headers.a: a list or a section (expected: a single value)"
      },
      {
        right + "headers: {[a]: b}\n",
        "FILE:3:11: headers: a list or a section (expected: a field's name)"
      },
      {
        target + "load:\n  - rate=1,for=2s\n  - {rate: 1, until: 1s}\n",
        "FILE:4:5: load: rate=1,until=1s (expected: rate=N, ramp=A..B, steps=A..B,by=N, sine=A..B,period=T or burst=N,every=T[,base=N], each with for=T)"
      },
      {
        target + "load: {rate: [1], for: 1s}\n",
        "FILE:2:7: load: a list or a section (expected: a number from 0 to 10000000)"
      },
      {
        target + "load: {rate: 1, for: 3s}\nduration: 3s\n",
        "FILE:3:11: duration: 3s (expected: none beside the stages' own)"
      },
      {"rate: 10\n", NO_TARGET},
      {"rate: 10\ntargets: []\n", NO_TARGET},
      {target, NO_LOAD},
      {
        "rate: 10\ntargets: [http://a/, b]\n",
        "FILE:2:22: targets[1]: b (expected: http://HOST[:PORT][/PATH] or https://...)"
      },
      {
        "rate: 10\nrequests: [{method: GET}]\n",
        "FILE:2:12: requests[0]: no target (expected: a URL)"
      },
      {"rate: 10\nrequests: [http://a/]\n", "FILE:2:12: requests[0]: no target (expected: a URL)"},
      {
        "rate: 10\nrequests:\n  - {target: http://a/, weight: 0}\n",
        "FILE:3:33: requests[0].weight: 0 (expected: more than 0)"
      },
      {
        "rate: 10\nconnections: 2\ntargets: [http://a/, http://b/, http://c/]\n",
        "FILE:2:14: connections: 2 (expected: at least one for each of 3 targets)"
      },
    };
    for (String[] row : table) {
      assertEquals(row[1], String.join("\n", faults(row[0])).replace("a\nb", "a\\nb"), row[0]);
    }
  }

  @Test
  void anUnknownNameIsToldBesideTheOnesThereAre() {
    final List<String> root = faults("targets: http://a/\nrate: 10\ntimeuot: 5s\n");
    assertEquals(1, root.size(), root.toString());
    assertTrue(
        root.get(0).startsWith("FILE:3:1: timeuot: unknown (expected: one of body, body-file, ca,"),
        root.toString());
    assertTrue(root.get(0).contains("timeout"), root.toString());
    final List<String> request = faults("rate: 10\nrequests:\n  - target: http://a/\n    url: b\n");
    assertTrue(
        request.get(0).startsWith("FILE:4:5: requests[0].url: unknown (expected: one of body,"),
        request.toString());
  }

  @Test
  void whatIsNoScenarioAtAllIsSaidAlone() throws IOException {
    final String[][] table = {
      {"", "FILE: empty (expected: a scenario)"},
      {"# nothing\n", "FILE: empty (expected: a scenario)"},
      {"hello\n", "FILE:1:1: a list or a text (expected: NAME: VALUE on each line)"},
      {"- rate\n", "FILE:1:1: a list or a text (expected: NAME: VALUE on each line)"},
      {"rate: [1\n", "FILE:2:1: expected ',' or ']', but got <stream end> (expected: YAML)"},
      {"rate: 1\n\tname: a\n", "FILE:2:1: "},
      {"a: 1\n---\nb: 1\n", "FILE:2:1: but found another document (expected: YAML)"},
    };
    for (String[] row : table) {
      final List<String> found = faults(row[0]);
      assertEquals(1, found.size(), found.toString());
      assertTrue(found.get(0).startsWith(row[1]), found + " for " + row[0]);
    }
    final Path none = folder.resolve("none");
    assertEquals(
        List.of(none + ": no such file (expected: a scenario)"), flagFaults("-s", none.toString()));
    assertTrue(flagFaults("-s", folder.toString()).get(0).startsWith(folder + ": "));
    final Path bytes = Files.write(folder.resolve("bytes"), new byte[] {'a', ':', (byte) 0xff});
    assertEquals(
        List.of(bytes + ": not UTF-8 (expected: a text)"), flagFaults("-s", bytes.toString()));
    final Path large = Files.write(folder.resolve("large"), new byte[(1 << 20) + 1]);
    assertEquals(
        List.of(large + ": 1048577 bytes (expected: at most 1048576)"),
        flagFaults("-s", large.toString()));
  }

  @Test
  void aliasesCannotGrowWithoutEnd() {
    final StringBuilder bomb = new StringBuilder("a: &a0 [x, x]\n");
    for (int i = 1; i < 60; i++) {
      bomb.append("a" + i + ": &a" + i + " [*a" + (i - 1) + ", *a" + (i - 1) + "]\n");
    }
    assertFalse(faults(bomb.toString()).isEmpty());
    assertFalse(faults("targets: &a [*a]\nrate: 1\n").isEmpty());
  }

  @Test
  void tellsAllFaultsAtOnceAndEachOnce() {
    assertEquals(
        List.of(
            "FILE:6:1: speed: unknown",
            "FILE:2:7: keys: some (expected: one, uniform:N, zipf:N:S, hot:N:P% or file:PATH)",
            "FILE:3:10: timeout: soon (expected: a duration such as 500ms, 10s, 5m, 1h or 1d)",
            "FILE:4:11: targets[0]: nowhere (expected: http://HOST[:PORT][/PATH] or https://...)",
            "FILE:1:7: rate: fast (expected: a number from 0 to 10000000)",
            "FILE:5:14: thresholds[0]: p99 (expected: FIGURE OPERATOR LIMIT, such as p99<2ms,"
                + " max<=1s, errors<0.1%, refused==40 or rate>=1000; figures are pN, max, mean,"
                + " passed, refused, errors and rate)"),
        faults(
                "rate: fast\nkeys: some\ntimeout: soon\ntargets: [nowhere]\nthresholds: [p99]\n"
                    + "speed: 1\n")
            .stream()
            .map(fault -> fault.replaceAll("unknown .*", "unknown"))
            .toList());
  }

  @Test
  void flagsAreNamedWhereTheyAreWrong() {
    assertEquals(
        List.of("--rate: x (expected: a number from 0 to 10000000)"),
        flagFaults("http://a/", "--rate", "x"));
    assertEquals(
        List.of(
            "URL: a (expected: http://HOST[:PORT][/PATH] or https://...)",
            "--load: x (expected: rate=N, ramp=A..B, steps=A..B,by=N, sine=A..B,period=T or"
                + " burst=N,every=T[,base=N], each with for=T)"),
        flagFaults("a", "-l", "x"));
    assertEquals(List.of(NO_TARGET, NO_LOAD), flagFaults());
    assertEquals(
        List.of("--body-file: b (expected: one of body and body-file)"),
        flagFaults("http://a/", "-r", "1", "--body", "a", "--body-file", "b").stream()
            .filter(fault -> !fault.contains("can be read"))
            .toList());
  }

  @Test
  void requestsForAllKeysMustFitIntoMemory() {
    final String body = "x".repeat(10_000);
    final List<String> faults =
        flagFaults("http://a/{key}", "-r", "1", "-k", "uniform:1000000", "--body", body + "{key}");
    assertEquals(1, faults.size(), faults.toString());
    assertTrue(
        faults.get(0).startsWith("--keys: uniform:1000000 (expected: fewer, or shorter requests:"),
        faults.get(0));
  }
}

package dev.weir.proxy.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.tls.CertificateFiles;
import dev.weir.proxy.tls.TestCertificates;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Timeout(120)
class WeirMainTest {
  @TempDir private Path folder;
  private String out;
  private String err;

  private int weir(String... args) {
    StringWriter outText = new StringWriter();
    StringWriter errText = new StringWriter();
    CommandLine commandLine = WeirCommand.commandLine();
    commandLine.setOut(new PrintWriter(outText));
    commandLine.setErr(new PrintWriter(errText));
    int exitCode = commandLine.execute(args);
    out = outText.toString();
    err = errText.toString();
    return exitCode;
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("weir.yaml"), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "help",
        "run --help",
        "check --help",
        "help simulate",
        "demo --help",
        "what-if --help",
        "help run",
        "help check",
        "help demo"
      })
  void explainsEveryCommandToStandardOutput(String args) {
    assertEquals(0, weir(args.split(" ")));
    assertTrue(out.startsWith("Usage: weir"), out);
    assertEquals("", err);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--version", "run --version", "check -V"})
  void tellsItsVersionAndTheJavaThatRunsIt(String args) {
    assertEquals(0, weir(args.split(" ")));
    assertTrue(out.matches("weir .*, Java [0-9]+.*\\R"), out);
  }

  /** A sidecar's jar does not have it: the launcher starts it from another. */
  @Test
  void saysWhichJarSimulates() {
    assertEquals(2, weir("simulate", "--limit", "10/1s"));
    assertEquals("", out);
    assertEquals(
        "weir simulate: not in weir.jar but in weir-load.jar, which the launcher starts\n", err);
  }

  @Test
  void asksForACommand() {
    assertEquals(2, weir());
    assertTrue(
        err.contains(
            "expected: run, check, explain, import, simulate, what-if, rules, users, audit, sidecars,"
                + " top, demo or help"),
        err);
    assertEquals(2, weir("rn"));
    assertTrue(
        err.contains("'rn'")
            && err.contains(
                "run, check, explain, import, simulate, what-if, rules, users, audit, sidecars,"
                    + " top, demo or help"),
        err);
  }

  @ParameterizedTest
  @CsvSource({
    "user=zip,'user=zip (expected: path, method, ip, '",
    "user,user (expected: KEY=SOURCE)",
    "=ip,=ip (expected: KEY=SOURCE)",
    "tier=path,tier=path (expected: one source of each key)"
  })
  void refusesAnEntryToImportThatSaysNothingOrTwoThings(String entry, String told)
      throws IOException {
    file("domain: orders\n");
    String[] line = {"import", "ratelimit", folder.toString(), "--entry=tier=ip"};
    assertEquals(0, weir(line), err);
    assertEquals(2, weir(line[0], line[1], line[2], line[3], "--entry", entry));
    assertTrue(err.startsWith("--entry " + told), err);
  }

  @Test
  void importsOneOfSeveralDomains() throws IOException {
    String limit = "[{key: remote_address, rate_limit: {unit: day, requests_per_unit: 9}}]\n";
    file("domain: orders\ndescriptors: " + limit);
    Files.writeString(folder.resolve("z.yaml"), "domain: users\ndescriptors: " + limit);
    assertEquals(2, weir("import", "ratelimit", folder.toString()));
    assertEquals("", out);
    assertTrue(err.startsWith("--domain missing (expected: one of orders, users"), err);
    assertEquals(0, weir("import", "ratelimit", folder.toString(), "--domain", "users"), err);
    assertTrue(out.contains("\"users\"") && !out.contains("orders"), out);
    assertEquals(2, weir("import", "ratelimit", folder.toString(), "--domain", "user"));
    assertTrue(err.startsWith("--domain user (expected: one of orders, users"), err);
  }

  @Test
  void tellsEveryFaultOfFlagsAtOnce() {
    assertEquals(
        2,
        weir(
            "run",
            "stray",
            "--limt",
            "100/1s",
            "--drain=1s",
            "--xyzzy",
            "--burst",
            "0",
            "--listen",
            "foo",
            "--transport",
            "nio",
            "--transport",
            "epoll",
            "--key"));
    assertEquals("", out);
    assertEquals(
        """
        stray: unexpected (expected: flags only)
        --limt: unknown flag (did you mean --limit?)
        --drain=1s: unknown flag (did you mean --timeouts.drain?)
        --xyzzy: unknown flag
        --transport: given 2 times (expected: once)
        --burst: 0 (expected: a whole number from 1 to 999999999999999)
        --key: (nothing) (expected: all, ip, api-key, header:NAME, cookie:NAME, query:NAME, jwt:CLAIM, tls:san, tls:spiffe or tls:cn)
        --listen: foo (expected: host:port, https://host:port or unix:/path)
        --upstream: missing (expected: http://, h2c:// or https://host:port, unix:/path or h2c+unix:/path; or --decision)
        See: weir run --help for what there is.
        """
            .lines()
            .toList(),
        err.lines().toList());
  }

  @Test
  void takesNoFlagForTheNameOfAFileThatIsMissing() {
    assertEquals(2, weir("run", "--upstream=nowhere", "--latency-log", "--admin=off"));
    assertTrue(err.startsWith("--latency-log: (nothing) (expected: a file's path)\n"), err);
    assertTrue(err.contains("--upstream: nowhere "), err);
  }

  @Test
  void takesSettingsFromAFileOrFromFlagsButNotFromBoth() throws IOException {
    Path file = file("upstream: http://127.0.0.1:1\nlisten: 127.0.0.1:0\n");
    assertEquals(2, weir("run", "-c", file.toString(), "--limit", "1/1s", "--dry-run"));
    assertTrue(err.contains("--limit: together with -c (expected: limit in " + file + ")"), err);
    assertTrue(err.contains("--dry-run: together with -c"), err);
  }

  @Test
  void tellsEveryFaultOfAFileWithItsLine() throws IOException {
    String file = file("listen: here\nrules:\n  - {id: a, limit: 0/1s}\n").toString();
    for (String[] args : new String[][] {{"check", file}, {"run", "-c", file}}) {
      assertEquals(2, weir(args));
      assertEquals("", out);
      assertTrue(err.contains(file + ":1: listen: here (expected: host:port"), err);
      assertTrue(err.contains(file + ":3: rules[0].limit: 0/1s (expected: "), err);
    }
  }

  @Test
  void checksFilesAndGoesOnAfterABadOne() throws IOException {
    String good =
        file("upstream: http://127.0.0.1:1\nrules:\n  - {id: a, limit: 1/1s}\n").toString();
    String gone = folder.resolve("gone.yaml").toString();
    assertEquals(0, weir("check", good));
    assertEquals(good + ": ok (1 rule)", out.strip());
    assertEquals(2, weir("check", gone, good));
    assertEquals(good + ": ok (1 rule)", out.strip());
    assertEquals(gone + ": not found (expected: a YAML file)", err.strip());
  }

  @Test
  void checksTheCertificatesThatAFileNames() throws IOException {
    CertificateFiles own =
        TestCertificates.write(folder, "own", TestCertificates.server("a.example"));
    CertificateFiles other =
        TestCertificates.write(folder, "other", TestCertificates.server("b.example"));
    String text = "upstream: https://127.0.0.1:1\nlisten: https://127.0.0.1:0\ntls:\n";
    String good =
        file(text + "  certificate: " + own.chain() + "\n  key: " + own.key() + "\n").toString();
    assertEquals(0, weir("check", good), err);
    String bad =
        file(text
                + ("  certificate: " + own.chain() + "\n  key: " + other.key() + "\n")
                + ("upstream-tls:\n  ca: " + folder.resolve("gone.crt") + "\n"))
            .toString();
    assertEquals(2, weir("check", bad));
    assertEquals("", out);
    assertEquals(
        List.of(
            bad
                + (": tls: " + other.key() + ": is not the key of " + own.chain())
                + " (expected: the private key of that certificate)",
            bad + ": tls: " + folder.resolve("gone.crt") + ": not found (expected: a file)"),
        err.lines().filter(line -> !line.contains("warning")).toList());
  }

  @Test
  void checksTheTokensAndTheRateLimitsOfEnvoyThatAFileNames() throws IOException {
    Path limits = Files.createDirectory(folder.resolve("limits"));
    Path edge = limits.resolve("edge.yaml");
    Path tokens = Files.writeString(folder.resolve("tokens"), "0123456789abcdef\n");
    Files.writeString(edge, "domain: edge\n");
    String file =
        file("decision: 127.0.0.1:0\nratelimit-config: "
                + limits
                + "\ndecision-tokens: "
                + tokens
                + "\nrules: [{id: a, limit: 1/1s}]\n")
            .toString();
    assertEquals(0, weir("check", file), err);
    Files.writeString(tokens, "short\n");
    Files.writeString(
        edge, "domain: edge\ndescriptors:\n  - key: a\n    rate_limit: {unit: eon}\n  - kee: b\n");
    assertEquals(2, weir("check", file));
    assertEquals("", out);
    List<String> faults = err.lines().toList();
    assertTrue(
        faults.get(0).startsWith(file + ": decision-tokens: " + tokens + ":1: not a token"), err);
    String where = file + ": ratelimit-config: " + edge;
    assertTrue(faults.get(1).startsWith(where + ":4: descriptors[0].rate_limit.unit: eon"), err);
    assertTrue(faults.get(2).startsWith(where + ":5: descriptors[1]"), err);
  }

  @Test
  void warnsOfAFileThatLimitsNothingAndStillAcceptsIt() throws IOException {
    String file = file("upstream: http://127.0.0.1:1\n").toString();
    assertEquals(0, weir("check", file));
    assertEquals(file + ": ok (0 rules)", out.strip());
    assertTrue(err.contains("warning: none: every request passes"), err);
  }

  @Test
  void namesTheTakenPort() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      assertEquals(
          2,
          weir("run", "--upstream", "http://127.0.0.1:1", "--listen", address, "--admin", "off"));
      assertTrue(err.startsWith("weir: ") && err.contains(address), err);
      assertEquals(
          2,
          weir(
              "run",
              "--upstream",
              "http://127.0.0.1:1",
              "--listen",
              "127.0.0.1:0",
              "--admin",
              address));
      assertTrue(err.startsWith("weir: ") && err.contains(address), err);
      assertEquals("", out);
    }
  }

  @Test
  void tellsTheFaultsOfACandidate() throws IOException {
    Path candidate = folder.resolve("candidate.yaml");
    Path file =
        file(
            "upstream: http://127.0.0.1:8080\nrules: [{id: r, limit: 1/1s}]\nwhat-if: {file: "
                + candidate
                + "}\n");
    assertEquals(2, weir("check", file.toString()));
    assertTrue(err.contains("what-if.file: " + candidate + ": not found"), err);
    Files.writeString(candidate, "upstream: http://127.0.0.1:1\nrules: [{id: r, limit: 0/1s}]\n");
    assertEquals(2, weir("check", file.toString()));
    assertTrue(err.contains(candidate + ":2: rules[0].limit: 0/1s"), err);
    String good = "upstream: http://127.0.0.1:1\nrules: [{id: r, limit: 1/1s}]\n";
    Files.writeString(candidate, good + "lists: {block: ['file:" + folder + "/away.txt']}\n");
    assertEquals(2, weir("check", file.toString()));
    assertTrue(err.contains("what-if.file: lists.block: " + folder + "/away.txt"), err);
    Files.writeString(candidate, good);
    assertEquals(0, weir("check", file.toString()), err);
  }

  @Test
  void saysWhyASidecarDoesNotTellHowACandidateCompares() throws IOException {
    int port;
    try (ServerSocket nobody = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      port = nobody.getLocalPort();
    }
    assertEquals(5, weir("what-if", "--admin", "127.0.0.1:" + port));
    assertTrue(err.startsWith("127.0.0.1:" + port + ": Connection refused"), err);
    assertEquals(2, weir("what-if", "--admin", "nowhere"));
    assertTrue(err.startsWith("--admin: nowhere (expected: host:port or unix:/path)"), err);
  }

  @Test
  void generatesACompletionThatKnowsEachCommand() {
    assertEquals(0, weir("generate-completion"), err);
    for (String words : List.of("weir_rules_push", "weir_users_set", "weir_audit_export")) {
      assertTrue(out.contains("function _picocli_" + words + "()"), words);
    }
    assertTrue(out.contains("'--wait'"), "a flag of rules push");
  }
}

package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.manual.ManualPage;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.tls.CertificateFiles;
import dev.weir.proxy.tls.TestCertificates;
import dev.weir.proxy.token.TestTokens;
import dev.weir.scripts.server.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The manual's table of figures, and every figure that it names, against a sidecar that has all.
 */
class FigureTableTest {
  private static final Pattern META = Pattern.compile("# (HELP|TYPE) (weir_\\w+) (.*)");
  private static final Pattern SAMPLE = Pattern.compile("(weir_\\w+?)(_count|_sum)?\\{(.*)} .*");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");
  private static final Pattern NAMED = Pattern.compile("\\bweir_[a-z_]*[a-z]\\b(?!_?\\*)");

  /** By name, the other cells of its row: type, labels, what it is. */
  private static Map<String, List<String>> exposed;

  @BeforeAll
  static void expose(@TempDir Path folder) throws Exception {
    CertificateFiles tls =
        TestCertificates.write(folder, "a", TestCertificates.server("a.example"));
    Path tokens = Files.writeString(folder.resolve("tokens"), "a-token-of-this-test\n");
    Path callers =
        Files.writeString(folder.resolve("callers"), "ann admin " + "0".repeat(64) + "\n");
    Path keys =
        Files.writeString(
            folder.resolve("jwks.json"), TestTokens.keySet(TestTokens.key("Ed25519", "k")));
    Path limits = Files.createDirectory(folder.resolve("limits"));
    Files.writeString(limits.resolve("a.yaml"), "domain: a\n");
    Path block = Files.writeString(folder.resolve("block"), "192.0.2.0/24\n");
    try (Rig rig =
        new Rig(
            "nio",
            "--algorithm",
            "sliding-log",
            "--limit",
            "10/365d",
            "--redis.nodes",
            "127.0.0.1:1",
            "--service",
            "shop",
            "--records.store",
            "redis",
            "--listen",
            "127.0.0.1:0,https://127.0.0.1:0",
            "--tls.certificate",
            tls.chain().toString(),
            "--tls.key",
            tls.key().toString(),
            "--decision",
            "127.0.0.1:0",
            "--decision-tokens",
            tokens.toString(),
            "--admin",
            "127.0.0.1:0",
            "--admin-tokens",
            callers.toString(),
            "--jwt.keys",
            keys.toString(),
            "--ratelimit-config",
            limits.toString(),
            "--lists.block",
            "file:" + block,
            "--what-if.file",
            folder.resolve("candidate.yaml").toString(),
            "--latency-log",
            folder.resolve("latency.hlog").toString())) {
      rig.serve();
      // A client has its answer before its time is counted.
      Await.until("counted", () -> rig.metrics().contains("\nweir_protocol_latency_seconds"));
      exposed = rows(rig.metrics());
    }
  }

  private static Map<String, List<String>> rows(String exposition) {
    Map<String, String> helps = new TreeMap<>();
    Map<String, String> types = new TreeMap<>();
    Map<String, Set<String>> labels = new TreeMap<>();
    for (String line : exposition.lines().toList()) {
      Matcher meta = META.matcher(line);
      Matcher sample = SAMPLE.matcher(line);
      if (meta.matches()) {
        (meta.group(1).equals("HELP") ? helps : types).put(meta.group(2), meta.group(3));
      } else if (sample.matches()) {
        Matcher label = LABEL.matcher(sample.group(3));
        while (label.find()) {
          labels.computeIfAbsent(sample.group(1), name -> new TreeSet<>()).add(label.group(1));
        }
      }
    }
    Map<String, List<String>> rows = new TreeMap<>();
    for (String name : helps.keySet()) {
      String of = String.join(", ", labels.getOrDefault(name, Set.of("-")));
      rows.put(name, List.of(types.get(name), of, helps.get(name)));
    }
    return rows;
  }

  /** As lines, so that those which are missing can be copied from the failure. */
  @Test
  void listsEveryFigureAndNoOther() throws Exception {
    String listed =
        Files.readAllLines(ManualPage.root().resolve("docs/operations.md")).stream()
            .filter(line -> line.startsWith("| `weir_"))
            .collect(Collectors.joining("\n"));
    assertTrue(exposed.size() > 50, exposed.toString());
    assertEquals(
        exposed.entrySet().stream()
            .map(row -> "| `" + row.getKey() + "` | " + String.join(" | ", row.getValue()) + " |")
            .collect(Collectors.joining("\n")),
        listed);
  }

  @Test
  void namesNoFigureThatThereIsNot() throws Exception {
    for (ManualPage page : ManualPage.all()) {
      Matcher named = NAMED.matcher(Files.readString(ManualPage.root().resolve(page.toString())));
      while (named.find()) {
        assertTrue(exposed.containsKey(named.group()), page + ": " + named.group());
      }
    }
  }
}

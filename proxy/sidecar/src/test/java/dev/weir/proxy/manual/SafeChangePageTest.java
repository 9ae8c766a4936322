package dev.weir.proxy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.cli.WeirCommand;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.RuleReload;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.loop.Addresses;
import dev.weir.proxy.manual.ManualPage.Block;
import dev.weir.proxy.wiring.Sidecar;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands of docs/change-a-rule-safely.md, in their order, against a sidecar. */
@Timeout(60)
class SafeChangePageTest {
  private static final Pattern VERSION = Pattern.compile("\\d+-[0-9a-f]{8}");
  private static final String TOKEN = "eddys-token";

  private final ManualPage page = ManualPage.of("docs/change-a-rule-safely.md");
  private final List<String> shown =
      page.blocks().stream()
          .filter(block -> block.language().equals("text"))
          .map(Block::text)
          .toList();

  @TempDir private Path folder;
  private Path rules;
  private Path token;
  private Sidecar sidecar;
  private RuleReload file;

  @BeforeEach
  void start() throws Exception {
    byte[] hash =
        MessageDigest.getInstance("SHA-256").digest(TOKEN.getBytes(StandardCharsets.UTF_8));
    Path tokens = folder.resolve("tokens");
    Files.writeString(tokens, "eddy editor " + HexFormat.of().formatHex(hash) + "\n");
    token = Files.writeString(folder.resolve("token"), TOKEN + "\n");
    String text =
        "upstream: http://127.0.0.1:9\nlisten: 127.0.0.1:0\nadmin: 127.0.0.1:0\n"
            + "event-loops: 1\ntable: {keys: 1000}\n"
            + settingsOfPage()
                .replace("/etc/weir/tokens", tokens.toString())
                .replace("/var/lib/weir", folder.resolve("records").toString());
    Path path = Files.writeString(folder.resolve("weir.yaml"), text);
    rules =
        Files.writeString(
            folder.resolve("rules.yaml"), text.replaceFirst("(?s).*\nrules:", "rules:"));
    Faults faults = Faults.ofFile(path.toString());
    Settings settings = new SettingsFile().read(path, faults);
    assertNotNull(settings, faults.toString());
    sidecar = Sidecar.start(settings);
    file = new RuleReload(path, settings, sidecar.ruleReloads(), sidecar.ruleChoice());
    sidecar.follow(file);
  }

  @AfterEach
  void stop() {
    file.close();
    sidecar.close();
  }

  private String settingsOfPage() {
    return page.blocks().stream()
        .filter(block -> block.language().equals("yaml"))
        .findFirst()
        .orElseThrow()
        .text();
  }

  private String admin() {
    return Addresses.text(sidecar.adminAddress());
  }

  /** What a command has printed, and with which exit code it ended. */
  private record Done(int code, String text) {
    String version() {
      Matcher version = VERSION.matcher(text);
      String last = null;
      while (version.find()) {
        last = version.group();
      }
      return last;
    }
  }

  /**
   * Runs a command of the page.
   *
   * @param version that it is about now; null if it names none.
   */
  private Done run(String start, String version) {
    String command =
        page.blocks().stream()
            .filter(block -> block.language().equals("sh"))
            .flatMap(block -> block.commands().stream())
            .filter(line -> line.startsWith(start))
            .findFirst()
            .orElseThrow();
    List<String> words = new ArrayList<>();
    for (String word : ManualPage.words(command).subList(1, ManualPage.words(command).size())) {
      words.add(
          word.endsWith(".yaml") || word.endsWith(".json")
              ? folder.resolve(word).toString()
              : VERSION.matcher(word).matches() ? version : word);
    }
    words.addAll(List.of("--admin", admin(), "--token-file", token.toString()));
    return execute(words);
  }

  private static Done execute(List<String> words) {
    StringWriter text = new StringWriter();
    CommandLine commandLine = WeirCommand.commandLine();
    commandLine.setOut(new PrintWriter(text));
    commandLine.setErr(new PrintWriter(text));
    int code = commandLine.execute(words.toArray(new String[0]));
    return new Done(code, text.toString());
  }

  /** Compares what was printed with the page: versions differ, as their tags are drawn. */
  private void assertShown(int block, Done done) {
    assertEquals(general(shown.get(block)), general(done.text()));
  }

  private static String general(String text) {
    return VERSION.matcher(text).replaceAll("VERSION").strip();
  }

  private void change(String from, String to) throws Exception {
    Files.writeString(rules, Files.readString(rules).replace(from, to));
  }

  private HttpResponse<String> send(String method, String body, String etag) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://" + admin() + "/api/v1/rules/orders"))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .header("Authorization", "Bearer " + TOKEN)
            .header("Content-Type", "application/json");
    if (etag != null) {
      request.header("If-Match", etag);
    }
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void takesAChangeFromABranchToProduction() throws Exception {
    Done unchanged = run("./weir rules diff", null);
    assertEquals(0, unchanged.code(), unchanged.text());
    Done first = run("./weir rules push", null);
    assertEquals(0, first.code(), first.text());
    assertShown(0, first);

    change("10/1m", "20/1m");
    Done diff = run("./weir rules diff", null);
    assertEquals(1, diff.code());
    assertShown(1, diff);
    assertEquals(first.version(), diff.version());

    change("20/1m", "0/1m");
    Done bad = run("./weir rules diff", null);
    assertEquals(1, bad.code());
    assertShown(3, bad);
    assertTrue(shown.get(2).contains("./weir rules diff rules.yaml"));

    change("0/1m", "20/1m");
    Done pushed = run("./weir rules push rules.yaml --version", diff.version());
    assertEquals(0, pushed.code(), pushed.text());
    assertShown(4, pushed);
    assertEquals("20/1m", limitInUse());
    Done late = run("./weir rules push rules.yaml --version", diff.version());
    assertEquals(4, late.code(), late.text());

    Done log = run("./weir rules log", null);
    assertTrue(log.text().contains("orders, ticket 4711"), log.text());
    assertTrue(log.text().contains(pushed.version()), log.text());
    Done dry = run("./weir rules revert 1-9f3a21bc --dry-run", first.version());
    assertEquals(0, dry.code(), dry.text());
    assertEquals("20/1m", limitInUse());
    Done reverted = run("./weir rules revert 1-9f3a21bc --reason", first.version());
    assertShown(5, reverted);
    assertEquals(0, reverted.code());

    HttpResponse<String> read = send("GET", "", null);
    String etag = read.headers().firstValue("etag").orElseThrow();
    assertEquals('"' + reverted.version() + '"', etag);
    HttpResponse<String> put = send("PUT", read.body().replace("10/1m", "30/1m"), etag);
    assertEquals(200, put.statusCode(), put.body());
    Done pulled = run("./weir rules pull", null);
    assertEquals(0, pulled.code(), pulled.text());
    assertTrue(Files.readString(folder.resolve("rules.json")).contains("\"30/1m\""));
  }

  private String limitInUse() {
    return sidecar.rules().rules().get(0).spec().budgets().get(0).limit().rate().toString();
  }
}

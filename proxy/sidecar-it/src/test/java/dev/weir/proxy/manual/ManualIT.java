package dev.weir.proxy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.manual.ManualPage.Block;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.WeirProcess;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands that README.md and docs/ show, run as processes: with the ports that happen to be
 * free in the place of those that are shown.
 */
@Timeout(180)
class ManualIT {
  private final HttpClient client = HttpClient.newHttpClient();

  @TempDir private Path folder;
  private RecordingOrigin service;
  private WeirProcess weir;
  private URI proxied;
  private URI admin;

  @BeforeEach
  void serve() throws IOException {
    service = new RecordingOrigin();
  }

  @AfterEach
  void stop() throws IOException {
    if (weir != null) {
      weir.close();
    }
    service.close();
  }

  /** The first command of a page that starts with these words. */
  private static String command(String page, String start) {
    return ManualPage.of(page).blocks().stream()
        .filter(block -> block.language().equals("sh"))
        .flatMap(block -> block.commands().stream())
        .filter(command -> command.startsWith(start))
        .findFirst()
        .orElseThrow();
  }

  private void start(String shown) throws IOException {
    assertTrue(shown.contains("--upstream http://127.0.0.1:8080"), shown);
    List<String> words = ManualPage.words(shown.replace("http://127.0.0.1:8080", service.url()));
    assertEquals(List.of("./weir", "run"), words.subList(0, 2));
    weir = WeirProcess.run(folder, words.stream().skip(2).toArray(String[]::new));
    proxied = URI.create("http://127.0.0.1:" + weir.listenAddress().getPort());
    admin = URI.create("http://127.0.0.1:" + weir.adminAddress().getPort());
  }

  private HttpResponse<String> get(URI base, String path, String... fields) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(base.resolve(path)).timeout(Duration.ofSeconds(30));
    if (fields.length > 0) {
      request.headers(fields);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private int status(String user) throws Exception {
    return get(proxied, "/", "X-User-Id", user).statusCode();
  }

  /** No fewer than the limit; more, by what comes back meanwhile, where this takes its time. */
  private int passedUntilRefused(String user) throws Exception {
    int passed = 0;
    int status;
    while ((status = status(user)) == 200) {
      passed++;
    }
    assertEquals(429, status);
    return passed;
  }

  @Test
  void theReadmesLimitRefusesTheEleventhRequestAsShown() throws Exception {
    start(command("README.md", "./weir run --upstream"));
    assertTrue(passedUntilRefused("7") >= 10);
    HttpResponse<String> refused = get(proxied, "/", "X-User-Id", "7");
    Block shown =
        ManualPage.of("README.md").blocks().stream()
            .filter(block -> block.language().equals("http"))
            .findFirst()
            .orElseThrow();
    String[] headAndBody = shown.text().split("\n\n", 2);
    assertEquals(
        withoutTimes(headAndBody[1].replace("\n", "") + "\n"), withoutTimes(refused.body()));
    List<String> head = headAndBody[0].lines().toList();
    assertEquals("HTTP/1.1 " + refused.statusCode() + " Too Many Requests", head.get(0));
    for (String field : head.subList(1, head.size())) {
      String name = field.substring(0, field.indexOf(':'));
      String value = refused.headers().firstValue(name).orElse("none");
      if (!name.equals("Date")) {
        assertEquals(withoutTimes(field), withoutTimes(name + ": " + value));
      }
    }
    assertEquals(head.size() - 1, refused.headers().map().size(), refused.toString());
    assertEquals(200, status("8"));
  }

  /** The waits, which depend on the moment: one of 10 in a minute is 6 s away, or a little less. */
  private static String withoutTimes(String text) {
    return text.replaceAll("(t=|seconds\":|Retry-After: )[0-9]+", "$1");
  }

  @Test
  void theAdminPagesOfOperationsAreThere() throws Exception {
    start(command("docs/operations.md", "./weir run"));
    int pages = 0;
    for (List<String> row : ManualPage.of("docs/operations.md").rows()) {
      String path = row.get(0).replace("`", "");
      if (path.startsWith("/")) { // others are figures
        int status = path.equals("/what-if") ? 404 : 200; // no candidate is configured
        assertEquals(status, get(admin, path).statusCode(), path);
        pages++;
      }
    }
    assertEquals(10, pages);
    assertTrue(Files.exists(folder.resolve("latency.hlog")));
  }

  @Test
  void theFleetsLimitIsGivenBackAsShown() throws Exception {
    try (RedisServer redis = RedisKind.EMBEDDED.start()) {
      String shown = command("docs/fleet.md", "./weir run");
      assertTrue(shown.contains("127.0.0.1:6379"), shown);
      start(
          shown.replace("127.0.0.1:6379", "127.0.0.1:" + redis.port())
              + " --service shop --redis.deadline 1s");
      assertTrue(passedUntilRefused("alice") >= 100);
      assertEquals(
          "1",
          redis.text(words("redis-cli DEL")),
          redis.text("EVAL", "return redis.call('KEYS', 'rl:*:alice:*')[1]", "0"));
      while (redis.text(words("redis-cli PUBLISH")).equals("0")) {
        assertTrue(weir.isAlive()); // and about to subscribe
      }
      while (status("alice") != 200) {
        assertTrue(weir.isAlive());
      }
    }
  }

  /** What docs/fleet.md has redis-cli say, of the rule that flags make. */
  private static String[] words(String start) {
    String shown = command("docs/fleet.md", start).replace(":orders", ":default");
    return ManualPage.words(shown).stream().skip(1).toArray(String[]::new);
  }
}

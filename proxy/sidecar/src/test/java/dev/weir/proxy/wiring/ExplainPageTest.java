package dev.weir.proxy.wiring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.admission.AddressLists;
import dev.weir.proxy.admission.Users;
import dev.weir.proxy.api.ApiThread;
import dev.weir.proxy.cli.WeirCommand;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.RigTest;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Route;
import dev.weir.proxy.web.WebRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@code /explain} of a sidecar that runs, asked over sockets and by the command. */
@Timeout(120)
class ExplainPageTest extends RigTest {
  private InetSocketAddress address;
  private RawClient client;

  @BeforeEach
  void start() throws Exception {
    rig =
        Rig.ofFile(
            "nio",
            """
            admin: 127.0.0.1:0
            everywhere: [{name: service, limit: 100/365d, key: all}]
            rules:
              - id: two
                match: {path: /two}
                key: header:x-user-id
                limits:
                  - {name: requests, limit: 2/365d}
                  - {name: units, limit: 10/365d, cost: 3}
              - id: log-in
                match: {path: /log-in}
                key: header:x-user-id
                limit: 1/365d
                ban: {after: 2/1h, for: [1h]}
                refusal: {status: 403}
              - {id: rehearsed, match: {path: /rehearsed}, limit: 1/365d, dry-run: true}
            """);
    address = (InetSocketAddress) rig.sidecar.adminAddress();
    client = rig.connect();
  }

  @AfterEach
  void close() throws Exception {
    client.close();
  }

  private RawClient.Response get(String query) throws Exception {
    return send("GET /explain?" + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }

  private RawClient.Response send(String request) throws Exception {
    try (RawClient admin = new RawClient(address)) {
      return admin.send(request).read();
    }
  }

  private int pass(String path) throws Exception {
    String head = "GET " + path + " HTTP/1.1\r\nHost: a\r\nX-User-Id: 7\r\n\r\n";
    return client.send(head).read().status();
  }

  @Test
  void tellsWhatIsLeftAndChargesNothing() throws Exception {
    for (int i = 0; i < 5; i++) {
      String text = get("path=/two&header=x-user-id:7").body();
      assertTrue(text.contains("takes 1; 2 of 2 left, all back in 0.0 s\n"), text);
      assertTrue(text.contains("takes 3; 10 of 10 left"), text);
      assertTrue(
          text.contains("service: 100/365d gcra, mode local, by all callers, everywhere\n"), text);
      assertTrue(text.endsWith("outcome: passes now\n"), text);
    }
    assertEquals(200, pass("/two"));
    String text = get("path=/two&header=x-user-id:7").body();
    assertTrue(text.contains("takes 1; 1 of 2 left"), text);
    assertTrue(text.contains("takes 3; 7 of 10 left"), text);
    assertTrue(text.contains("takes 1; 99 of 100 left"), text);
    assertEquals(200, pass("/two"));
    String refused = get("path=/two&header=x-user-id:7&format=json").body();
    assertTrue(refused.contains("\"outcome\" : \"refused now with 429 by requests\""), refused);
    assertTrue(refused.contains("\"status\" : 429"), refused);
    assertTrue(refused.contains("\"remaining\" : 0"), refused);
    assertEquals(429, pass("/two"));
    String other = get("path=/two&header=x-user-id:8").body();
    assertTrue(other.endsWith("outcome: passes now\n"), other);
  }

  @Test
  void saysThatAnIdentityIsBannedAndBansNobody() throws Exception {
    assertEquals(200, pass("/log-in"));
    for (int i = 0; i < 5; i++) {
      String text = get("path=/log-in&header=x-user-id:7").body();
      assertTrue(text.endsWith("outcome: refused now with 403 by log-in\n"), text);
    }
    assertEquals(403, pass("/log-in"));
    assertEquals(429, pass("/log-in"), "a ban has no answer of the rule's");
    String text = get("path=/log-in&header=x-user-id:7").body();
    assertTrue(text.contains("outcome: refused with 429 banned for 3"), text);
    String json = get("path=/log-in&header=x-user-id:7&format=json").body();
    assertTrue(json.contains("\"status\" : 429"), json);
    assertTrue(json.contains("\"banned_for_seconds\" : 3"), json);
    String other = get("path=/log-in&header=x-user-id:8").body();
    assertTrue(other.endsWith("outcome: passes now\n"), other);
  }

  @Test
  void saysThatADryRunOnlyCounts() throws Exception {
    assertEquals(200, pass("/rehearsed"));
    assertEquals(200, pass("/rehearsed"));
    String text = get("path=/rehearsed").body();
    assertTrue(text.contains("dry run: for this request the rule's own limits only count\n"), text);
    assertTrue(text.contains("counts only\n"), text);
    assertTrue(text.contains("0 of 1 left"), text);
    String json = get("path=/rehearsed&format=json").body();
    assertFalse(json.contains("\"status\""), json);
    assertTrue(text.endsWith("outcome: passes now\n"), text);
  }

  @Test
  void answersTheCommandWithALineOfCurl() throws Exception {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine = WeirCommand.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    List<String> line = new ArrayList<>(List.of("explain", "--admin"));
    line.add("127.0.0.1:" + address.getPort());
    line.addAll(
        List.of("--", "curl", "-X", "POST", "http://ü.example/two", "-H", "x-user-id: 7 ü"));
    assertEquals(1, commandLine.execute(line.toArray(String[]::new)));
    assertTrue(
        err.toString().contains("request: 400 malformed_host, before any rule"), err.toString());
    line.set(line.indexOf("http://ü.example/two"), "http://a.example/two");
    assertEquals(0, commandLine.execute(line.toArray(String[]::new)), err.toString());
    assertTrue(out.toString().contains("  header:x-user-id: 7%20%C3%BC, from"), out.toString());
    assertTrue(out.toString().endsWith("outcome: passes now\n"), out.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "colour=red,parameter: unknown or twice",
    "path=/a&path=/b,parameter: unknown or twice",
    "format=yaml,format: unknown",
    "path=a,path: malformed",
    "header=x,header: malformed",
    "header=x:y%0d%0az:1,header: malformed",
    "from=x,from: no address",
    "url=ftp://a,URL: a scheme",
  })
  void refusesWhatIsNoDescription(String query, String fault) throws Exception {
    RawClient.Response answer = get(query);
    assertEquals(400, answer.status());
    assertTrue(answer.body().contains("\"detail\":\"" + fault), answer.body());
  }

  @Test
  void isOnlyForWhoCallsItByItsHostAndGets() throws Exception {
    String rebound = "GET /explain?path=/two HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    assertEquals(421, send(rebound).status());
    String post =
        "POST /explain?path=/two HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
    assertEquals(405, send(post).status());
  }

  @Test
  void answersInTheOrderOfRequestsAlthoughItsAnswerIsLate() throws Exception {
    try (RawClient admin = new RawClient(address)) {
      String end = " HTTP/1.1\r\nHost: localhost\r\n\r\n";
      admin.send("GET /explain?path=/two" + end + "GET /readyz" + end + "GET /explain" + end);
      assertTrue(admin.read().body().startsWith("GET /two,"));
      assertEquals("ready\n", admin.read().body());
      assertTrue(admin.read().body().startsWith("GET /,"));
    }
  }

  @Test
  void explainsOnAThreadOfItsOwnSoThatNobodyElseWaits() throws Exception {
    List<String> threads = new ArrayList<>();
    Supplier<RuleSet> rules =
        () -> {
          threads.add(Thread.currentThread().getName());
          throw new IllegalStateException("seen enough");
        };
    CompletableFuture<Page> page = ask(explaining(rules));
    assertThrows(ExecutionException.class, page::get);
    assertTrue(threads.get(0).startsWith("weir-explain"), threads.toString());
  }

  /** The page of a sidecar without event loops. */
  private static Route explaining(Supplier<RuleSet> rules) throws Exception {
    byte[] yaml = "upstream: http://127.0.0.1:1".getBytes(StandardCharsets.US_ASCII);
    Settings settings = new SettingsFile().read(yaml, Faults.ofFile("weir.yaml"));
    SidecarExplainer explainer =
        new SidecarExplainer(
            settings, new AddressLists(), null, new Users(), KeyHasher.random(), null);
    return new ExplainPage(() -> explainer, rules, null).route();
  }

  private static CompletableFuture<Page> ask(Route route) {
    WebRequest request =
        new WebRequest(
            null, Map.of(), new QueryStringDecoder("/explain?path=/a"), new byte[0], null, null);
    return route.handler().apply(request).toCompletableFuture();
  }

  @Test
  void keepsSoManyRequestsWaitingAndForgetsThoseWhoseClientsHaveLeft() throws Exception {
    Semaphore asked = new Semaphore(0);
    Semaphore held = new Semaphore(0);
    AtomicInteger explained = new AtomicInteger();
    Route route =
        explaining(
            () -> {
              asked.release();
              held.acquireUninterruptibly();
              explained.incrementAndGet();
              throw new IllegalStateException("seen enough");
            });
    try {
      ask(route);
      asked.acquire(); // it runs, and the others wait behind it
      List<CompletableFuture<Page>> waiting = new ArrayList<>();
      for (int i = 0; i < ApiThread.MAX_QUEUED; i++) {
        waiting.add(ask(route));
      }
      CompletableFuture<Page> tooMany = ask(route);
      assertTrue(tooMany.isDone());
      assertEquals(503, tooMany.get().status().code());
      assertEquals("1", tooMany.get().fields().get("Retry-After"));
      CompletableFuture<Page> last = waiting.remove(waiting.size() - 1);
      assertFalse(last.isDone());
      waiting.forEach(left -> left.cancel(false));
      held.release(1_000);
      assertThrows(ExecutionException.class, last::get);
      assertEquals(2, explained.get(), "the first and the last");
    } finally {
      held.release(1_000);
    }
  }

  private RawClient.Response post(String target, String body) throws Exception {
    return send(
        "POST /api/v1/explain%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(target, body.length(), body));
  }

  @Test
  void explainsForTheApiWhatParametersOrABodyDescribe() throws Exception {
    String api = " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    String body = send("GET /api/v1/explain?path=/two&header=x-user-id:7&header=a:b" + api).body();
    assertTrue(body.contains("\"rule\" : \"two\""), body);
    String fields = "\"header\":[\"x-user-id:7\",\"a:b\"]";
    assertEquals(body, post("", "{\"path\":\"/two\"," + fields + "}").body());
    assertEquals(body, post("", "{\"url\":\"http://localhost/two\"," + fields + "}").body());
    String text = post("?format=text", "{\"path\":\"/two\",\"header\":\"x-user-id:7\"}").body();
    assertEquals(get("path=/two&header=x-user-id:7").body(), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"colour\":\"red\"} | \"pointer\":\"\",\"found\":\"unknown or twice\",\"expected\":\"method, path",
        "{\"path\":\"a\"} | \"pointer\":\"/path\",\"found\":\"malformed\",\"expected\":\"a path such as",
        "{\"from\":\"here\"} | \"pointer\":\"/from\",\"found\":\"no address\",\"expected\":\"an IP address\"",
        "{\"from\":7} | \"pointer\":\"/from\",\"found\":\"7\",\"expected\":\"a text\"",
        "{\"header\":[\"a:b\",null]} | \"pointer\":\"/header/1\",\"found\":\"null\"",
        "{\"path\":[\"/a\"]} | \"pointer\":\"/path\"",
        "[1] | \"pointer\":\"\",\"found\":\"[1]\",\"expected\":\"an object with method,",
        "{\"host\":\"a/b\"} | \"pointer\":\"\",\"found\":\"400 malformed_host, before any rule\"}",
      })
  void refusesABodyThatIsNoDescription(String body, String error) throws Exception {
    RawClient.Response answer = post("", body);
    assertEquals(422, answer.status(), answer.body());
    assertTrue(answer.body().contains(error), answer.body());
  }

  @Test
  void tellsTheParameterThatIsAtFault() throws Exception {
    String api = " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    RawClient.Response bad = send("GET /api/v1/explain?from=here" + api);
    assertEquals(400, bad.status());
    String error =
        "\"errors\":[{\"parameter\":\"from\",\"found\":\"no address\",\"expected\":\"an IP address\"}]";
    assertTrue(bad.body().contains(error), bad.body());
    assertEquals(400, send("GET /api/v1/explain?format=html" + api).status());
    assertEquals(400, send("GET /api/v1/explain?path=/a&path=/b" + api).status());
  }

  @Test
  void logsNothingOfARequest() throws Exception {
    String token = "Bearer%20se.cr.et";
    try (LogLines log = new LogLines()) {
      assertEquals(200, get("path=/two&header=authorization:" + token).status());
      assertEquals(400, get("path=/two&header=authorization:" + token + "%0a").status());
      String tooLong = "header=authorization:se.cr.et" + "a".repeat(17_000);
      assertEquals(400, get(tooLong).status());
      assertFalse(log.toString().contains("se.cr.et"), log.toString());
    }
  }
}

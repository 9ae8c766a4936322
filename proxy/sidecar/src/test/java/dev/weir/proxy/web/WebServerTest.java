package dev.weir.proxy.web;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.metrics.LatencyStep;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Protocol;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every page over real sockets. */
@Timeout(120)
class WebServerTest {
  private final Metrics metrics = new Metrics();
  private final AtomicBoolean ready = new AtomicBoolean(true);
  private final AtomicReference<String> fault = new AtomicReference<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private WebServer server;
  private int port;

  @BeforeEach
  void start() throws IOException {
    server =
        new WebServer(
            loopback(0), List.of("Weir.internal"), loopback(0), metrics, ready::get, fault::get);
    server.start();
    port = ((InetSocketAddress) server.adminAddress()).getPort();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private HttpResponse<String> send(String method, String target, String... fields)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (fields.length > 0) {
      request.headers(fields);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String target) throws IOException, InterruptedException {
    return send("GET", target);
  }

  private static String field(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @Test
  void everyPageIsThereAndIsNeverCachedOrSniffed() throws Exception {
    for (String target :
        List.of(
            "/",
            "/metrics",
            "/latency",
            "/latency.hlog",
            "/latency/total.hgrm",
            "/livez",
            "/healthz",
            "/readyz",
            "/none")) {
      HttpResponse<String> response = get(target);
      assertEquals(target.equals("/none") ? 404 : 200, response.statusCode(), target);
      assertEquals("no-store", field(response, "cache-control"), target);
      assertEquals("nosniff", field(response, "x-content-type-options"), target);
      assertFalse(field(response, "content-type").isEmpty(), target);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "200, GET / HTTP/1.1|Host: localhost",
    "200, GET / HTTP/1.1|Host: LocalHost.:1",
    "200, GET / HTTP/1.1|Host: 127.0.0.1:9090",
    "200, GET / HTTP/1.1|Host: 127.9.9.9",
    "200, GET / HTTP/1.1|Host: [::1]:9090",
    "200, GET / HTTP/1.1|Host: weir.INTERNAL:9090",
    "200, GET / HTTP/1.0|Accept: */*",
    "421, GET / HTTP/1.1|Host: evil.example",
    "421, GET / HTTP/1.1|Host: localhost.evil.example",
    "421, GET / HTTP/1.1|Host: 127.0.0.1.evil.example",
    "421, GET / HTTP/1.1|Host: 192.0.2.1",
    "421, GET / HTTP/1.1|Host: [2001:db8::1]",
    "421, GET / HTTP/1.1|Host:",
    "421, GET / HTTP/1.1|Accept: */*",
    "421, GET / HTTP/1.0|Host: evil.example",
    "421, GET / HTTP/1.1|Host: localhost|Host: evil.example",
    "421, GET http://evil.example/metrics HTTP/1.1|Host: localhost",
    "421, HTTP://evil.example?x=http://localhost/ HTTP/1.1|Host: localhost"
  })
  void answersByNamesOfThisMachineOnly(int status, String head) throws Exception {
    String request = head.startsWith("H") ? "GET " + head : head;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      String bytes = request.replace("|", "\r\n") + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertEquals(Integer.toString(status), answer.substring(9, 12), answer);
      assertEquals(status == 421, !answer.contains("Weir"), answer);
    }
  }

  @Test
  void headAnswersTheFieldsOfGetWithoutItsBody() throws Exception {
    for (String target : List.of("/", "/latency", "/healthz")) {
      HttpResponse<String> head = send("HEAD", target);
      HttpResponse<String> get = get(target);
      assertEquals(200, head.statusCode());
      assertEquals("", head.body());
      assertEquals(field(get, "content-length"), field(head, "content-length"));
      assertEquals(field(get, "content-type"), field(head, "content-type"));
    }
  }

  @Test
  void refusesOtherMethodsAndSaysWhich() throws Exception {
    for (String method : List.of("POST", "PUT", "DELETE", "PATCH")) {
      HttpResponse<String> response = send(method, "/metrics");
      assertEquals(405, response.statusCode(), method);
      assertEquals("GET, HEAD", field(response, "allow"), method);
      assertEquals("application/problem+json", field(response, "content-type"), method);
    }
  }

  @Test
  void problemNamesTheStatusAndNothingOfTheClients() throws Exception {
    HttpResponse<String> response = get("/%22evil");
    assertEquals(404, response.statusCode());
    assertEquals("application/problem+json", field(response, "content-type"));
    assertEquals(
        "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,"
            + "\"detail\":\"There is no such page; see / for those there are.\"}\n",
        response.body());
  }

  @Test
  void readinessFollowsTheProxyAndHealthDoesNot() throws Exception {
    assertEquals(200, get("/readyz").statusCode());
    ready.set(false);
    assertEquals(503, get("/readyz").statusCode());
    assertEquals(200, get("/healthz").statusCode());
    assertEquals("ok\n", get("/healthz").body());
  }

  @Test
  void isNotAliveWhileAnEventLoopIsStuck() throws Exception {
    for (String page : List.of("/livez", "/healthz")) {
      fault.set("event loop weir-loop-1-1: has not turned for 3 s or more");
      assertEquals(503, get(page).statusCode());
      assertEquals(503, monitor(page).statusCode());
      assertEquals(fault.get() + "\n", get(page).body());
      fault.set(null);
      assertEquals(200, get(page).statusCode());
    }
  }

  @Test
  void metricsComeInTheFormTheScraperPrefers() throws Exception {
    metrics.newLoop().connectionOpened();
    HttpResponse<String> text = get("/metrics");
    assertTrue(field(text, "content-type").startsWith("text/plain; version=0.0.4"));
    assertTrue(text.body().contains("\nweir_connections_total 1.0\n"));
    HttpResponse<String> open =
        send("GET", "/metrics", "Accept", "application/openmetrics-text; version=1.0.0");
    assertTrue(field(open, "content-type").startsWith("application/openmetrics-text"));
    assertTrue(open.body().endsWith("# EOF\n"));
  }

  @Test
  void latencyComesAsTableAndAsDistribution() throws Exception {
    metrics.newLoop().completed(Protocol.HTTP1, 200, 5_000, 4_000, 1_000);
    assertTrue(get("/latency").body().contains("total"));
    String hgrm = get("/latency/total.hgrm").body();
    assertTrue(hgrm.contains("Unit           = microseconds"));
    assertEquals(hgrm, get("/latency?format=hgrm&step=total").body());
    assertEquals(hgrm, get("/latency?format=hgrm").body());
    assertTrue(get("/latency/upstream.hgrm").body().contains("Step    = upstream"));
    assertEquals(404, get("/latency/none.hgrm").statusCode());
    assertEquals(404, get("/latency/.hgrm").statusCode());
    assertEquals(404, get("/latency?format=hgrm&step=none").statusCode());
    assertEquals(400, get("/latency?format=pdf").statusCode());
  }

  /** Without how long ago the start was, which may be a second more for the next. */
  private static String timeless(HttpResponse<String> page) {
    return page.body().replaceAll("(The last|Since the start,) [0-9]+ s", "$1");
  }

  @Test
  void latencyIsAPageForBrowsersAndTextForOthers() throws Exception {
    String browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    HttpResponse<String> page = send("GET", "/latency", "Accept", browser);
    assertEquals("text/html; charset=utf-8", field(page, "content-type"));
    HttpResponse<String> text = send("GET", "/latency", "Accept", "*/*");
    assertEquals("text/plain; charset=utf-8", field(text, "content-type"));
    assertEquals(text.body(), get("/latency").body());
    assertEquals(text.body(), send("GET", "/latency?format=text", "Accept", browser).body());
    assertEquals(timeless(page), timeless(get("/latency?format=html")));
    assertTrue(
        send("GET", "/latency", "Accept", "text/plain", "Accept", browser)
            .body()
            .startsWith("<!DOCTYPE html>"));
    for (HttpResponse<String> either : List.of(page, text, get("/metrics"))) {
      assertEquals("accept", field(either, "vary"));
    }
    assertEquals("", field(get("/latency.hlog"), "vary"));
  }

  @Test
  void latencyPageShowsWhatWasRecordedAndADashForTheRest() throws Exception {
    LoopMetrics loop = metrics.newLoop();
    for (int i = 0; i < 100; i++) {
      loop.decided(5_000);
    }
    String page = get("/latency?format=html").body();
    assertEquals(2, page.split("<tr><th scope=\"row\">p99</th><td>5.00 µs</td>", -1).length - 1);
    assertEquals(2, page.split("<tr><th scope=\"row\">p99.9</th><td>–</td>", -1).length - 1);
    assertEquals(2, page.split("<td>100</td><td>–</td><td>–</td><td>–</td>", -1).length - 1);
    assertFalse(page.contains("NaN") || page.contains("Infinity"), page);
  }

  @Test
  void latencyTellsProtocolsApartWhereThereIsAnotherThanHttp1() throws Exception {
    LoopMetrics loop = metrics.newLoop();
    loop.completed(Protocol.HTTP1, 200, 9_000, 8_000, 1_000);
    String before = get("/latency").body();
    assertFalse(before.contains("HTTP/1.1"), before);
    assertFalse(get("/latency?format=html").body().contains("By protocol"));
    loop.completed(Protocol.GRPC, 200, 3_000, 2_000, 1_000);
    String text = get("/latency").body();
    assertTrue(text.matches("(?s).*\ntotal +p50 .*\nHTTP/1.1 +9.0.*\ngRPC +3.0.*"), text);
    assertFalse(text.contains("HTTP/2"), text);
    String page = get("/latency?format=html").body();
    assertTrue(page.contains("<th scope=\"col\">HTTP/1.1</th><th scope=\"col\">gRPC</th>"), page);
    assertEquals(
        3, page.split("<th scope=\"row\">count</th><td>1</td><td>1</td></tr>", -1).length - 1);
  }

  @Test
  void latencyPageNeedsNoScriptAndNothingFromElsewhere() throws Exception {
    metrics.newLoop().completed(Protocol.HTTP1, 200, 3_000, 2_000, 1_000);
    for (String target : List.of("/", "/latency?format=html")) {
      String page = get(target).body();
      assertFalse(page.matches("(?s).*(<script|https?:|url\\(|@import|src=).*"), target);
      Matcher link = Pattern.compile("href=\"([^\"]+)\"").matcher(page);
      int count = 0;
      while (link.find()) {
        assertEquals(200, get(link.group(1)).statusCode(), link.group(1));
        count++;
      }
      for (LatencyStep step : LatencyStep.values()) {
        assertTrue(page.contains("/latency/" + step.label() + ".hgrm"), step.label());
      }
      assertTrue(count > LatencyStep.values().length, target);
    }
  }

  @Test
  void namesEveryStepToWhoeverAsksForNone() throws Exception {
    String detail = get("/latency/none.hgrm").body();
    for (LatencyStep step : LatencyStep.values()) {
      assertTrue(detail.contains(step.label()), detail);
    }
    assertTrue(get("/latency?format=pdf").body().contains("html, text, hgrm"));
  }

  @Test
  void latencyLogHoldsWhatIsNewSinceTheServerWasMade() throws Exception {
    metrics.newLoop().completed(Protocol.HTTP1, 200, 3_000, 2_000, 1_000);
    for (int again = 0; again < 2; again++) {
      String log = get("/latency.hlog").body();
      assertTrue(log.startsWith("#["), log);
      assertEquals(1, log.lines().filter(line -> line.startsWith("Tag=upstream,")).count());
      assertEquals(1, log.lines().filter(line -> line.startsWith("0.000,")).count());
      assertFalse(log.contains("Tag=store"), log);
    }
  }

  private String raw(String requests) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(requests.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  @Test
  void answersPipelinedRequestsInOrderOnOneConnection() throws Exception {
    String answers =
        raw(
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                + "GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n"
                + "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    int ok = answers.indexOf("HTTP/1.1 200 OK");
    int none = answers.indexOf("HTTP/1.1 404 Not Found");
    assertEquals(0, ok);
    assertTrue(none > ok && answers.lastIndexOf("HTTP/1.1 200 OK") > none, answers);
    assertTrue(answers.endsWith("ready\n"), answers);
  }

  @Test
  void refusesWhatIsMalformedOrTooLarge() throws Exception {
    assertTrue(raw("GET / HTTP/1.1\r\nHost : a\r\n\r\n").startsWith("HTTP/1.1 400 "));
    String encoding = "GET /%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assertTrue(raw(encoding).startsWith("HTTP/1.1 400 "));
    String longLine = "GET /" + "a".repeat(17_000) + " HTTP/1.1\r\n\r\n";
    assertTrue(raw(longLine).startsWith("HTTP/1.1 400 "));
    assertTooLarge(raw("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65537\r\n\r\n"));
  }

  private static void assertTooLarge(String answer) {
    assertTrue(answer.startsWith("HTTP/1.1 413 "), answer);
    assertTrue(answer.contains("\r\nconnection: close\r\n"), answer);
    assertTrue(answer.contains("body: too long (expected: at most 65536 bytes)"), answer);
  }

  @Test
  void refusesABodyThatIsTooLargeBeforeItIsSent() throws Exception {
    String expecting =
        "GET / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 65537\r\n\r\n";
    assertTooLarge(raw(expecting));
  }

  @Test
  void refusesChunksThatAreTooLargeTogether() throws Exception {
    String head = "GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    assertTooLarge(raw(head + "10001\r\n" + "a".repeat(0x10001)));
  }

  @Test
  void readsNoBodyWithoutEnd() throws Exception {
    String head = "GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    String chunk = "10000\r\n" + "a".repeat(0x10000) + "\r\n";
    byte[] chunks = chunk.getBytes(StandardCharsets.US_ASCII);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      OutputStream out = socket.getOutputStream();
      out.write(head.getBytes(StandardCharsets.US_ASCII));
      assertThrows(
          IOException.class,
          () -> {
            for (int i = 0; i < 1_000; i++) {
              out.write(chunks);
            }
          });
    }
  }

  @Test
  void refusesABodyThatIsTooLargeAfterItHasAnsweredWhatCameBefore() throws Exception {
    int batch = 100;
    String page = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    String large = "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65537\r\n\r\n";
    String first = "HEAD / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n";
    try (Socket socket = new Socket()) {
      socket.setReceiveBufferSize(4_096); // so that answers wait for their reader
      socket.connect(loopback(port));
      socket.setSoTimeout(60_000);
      OutputStream out = socket.getOutputStream();
      // After this body the server reads all requests that follow at once.
      out.write((first + "a".repeat(60_000)).getBytes(StandardCharsets.US_ASCII));
      assertEquals('H', socket.getInputStream().read());
      out.write(page.repeat(batch).getBytes(StandardCharsets.US_ASCII));
      assertEquals(200, get("/healthz").statusCode()); // the server has read all of these
      out.write((page.repeat(batch) + large).getBytes(StandardCharsets.US_ASCII));
      assertEquals(200, get("/healthz").statusCode()); // and these, and cannot send all answers
      String answers =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertEquals(1 + 2 * batch, answers.split("TTP/1.1 200 OK\r\n", -1).length - 1);
      assertTooLarge(answers.substring(answers.lastIndexOf("HTTP/1.1 ")));
    }
  }

  @Test
  void turnsAnAddressAwayOverItsShareAnswersOthersAndTakesNewOnesLater() throws Exception {
    List<Socket> held = new ArrayList<>();
    try {
      for (int i = 0; i < WebServer.MAX_CONNECTIONS * 3 / 4; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        held.add(socket);
        ask(socket);
      }
      try (Socket over = new Socket(InetAddress.getLoopbackAddress(), port)) {
        over.setSoTimeout(60_000);
        assertEquals(-1, over.getInputStream().read());
      }
      try (Socket other = new Socket()) {
        other.bind(new InetSocketAddress("127.0.0.2", 0));
        other.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        ask(other);
      }
    } finally {
      // Closed by the server, so that it has counted them before the next one comes.
      for (Socket socket : held) {
        socket.shutdownOutput();
        socket.getInputStream().readAllBytes();
        socket.close();
      }
    }
    assertEquals(200, get("/healthz").statusCode());
  }

  private static void ask(Socket socket) throws IOException {
    socket.setSoTimeout(60_000);
    socket
        .getOutputStream()
        .write(
            "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII));
    byte[] begin = socket.getInputStream().readNBytes(12);
    assertArrayEquals("HTTP/1.1 200".getBytes(StandardCharsets.US_ASCII), begin);
  }

  private HttpResponse<String> monitor(String target) throws IOException, InterruptedException {
    int monitoring = ((InetSocketAddress) server.monitoringAddress()).getPort();
    URI uri = URI.create("http://127.0.0.1:" + monitoring + target);
    return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }

  @Test
  void theMonitoringPortHasHealthAndMetricsAndNothingElse() throws Exception {
    assertEquals("ok\n", monitor("/healthz").body());
    assertEquals("ready\n", monitor("/readyz?verbose").body());
    assertTrue(monitor("/metrics").body().contains("\njvm_"));
    for (String target : List.of("/", "/latency", "/latency.hlog", "/latency/total.hgrm", "/a")) {
      assertEquals(404, monitor(target).statusCode(), target);
      assertTrue(monitor(target).body().contains("see /metrics and /readyz"), target);
    }
    ready.set(false);
    assertEquals(503, monitor("/readyz").statusCode());
  }

  @Test
  void theMonitoringPortAnswersByAnyHost() throws Exception {
    try (Socket socket = new Socket()) {
      socket.connect(server.monitoringAddress());
      socket
          .getOutputStream()
          .write(
              "GET /readyz HTTP/1.1\r\nHost: 10.1.2.3:9091\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
    }
  }

  @Test
  void theMonitoringPortListensWithoutAnAdminPort() throws Exception {
    try (WebServer alone =
        new WebServer(null, List.of(), loopback(0), metrics, () -> true, () -> null)) {
      alone.start();
      assertEquals(null, alone.adminAddress());
      try (Socket socket = new Socket()) {
        socket.connect(alone.monitoringAddress());
        ask(socket);
      }
    }
  }

  @Test
  void aTakenMonitoringPortIsNamedAndLeavesNoAdminPort() throws Exception {
    int free = ((InetSocketAddress) server.adminAddress()).getPort();
    server.close();
    server = new WebServer(null, List.of(), loopback(0), metrics, ready::get, fault::get);
    server.start();
    WebServer second =
        new WebServer(
            loopback(free), List.of(), server.monitoringAddress(), metrics, () -> true, () -> null);
    IOException taken = assertThrows(IOException.class, second::start);
    assertTrue(taken.getMessage().endsWith(": Address already in use"), taken.getMessage());
    try (Socket socket = new Socket()) {
      assertThrows(IOException.class, () -> socket.connect(loopback(free)));
    }
  }

  @Test
  void aTakenPortIsNamed() throws IOException {
    InetAddress unnamed = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    InetSocketAddress taken = new InetSocketAddress(unnamed, port);
    WebServer second = new WebServer(taken, List.of(), null, metrics, () -> true, () -> null);
    IOException fault = assertThrows(IOException.class, second::start);
    assertEquals("127.0.0.1:" + port + ": Address already in use", fault.getMessage());
    second.close();
  }

  @Test
  void freesItsPortWhenClosed() throws IOException {
    server.close();
    server.close();
    WebServer second =
        new WebServer(loopback(port), List.of(), null, metrics, () -> true, () -> null);
    second.start();
    assertEquals(loopback(port), second.adminAddress());
    second.close();
  }
}

package dev.weir.proxy.demo;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.wiring.Program;
import dev.weir.proxy.wiring.Run;
import dev.weir.proxy.wiring.Sidecar;
import dev.weir.proxy.wiring.StartException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The main job, on this machine alone: a service, a sidecar before it and clients, over real
 * sockets. Every answer is compared with what the rules say.
 */
public final class Demo implements AutoCloseable {
  private static final String RULES =
      """
      rules:
        - {id: orders, match: {path: /orders}, key: header:x-user-id, limit: 10/1m}
        - {id: search, match: {path: /search}, key: ip, limit: 5/1s, burst: 5}
        - {id: report, match: {path: /report}, key: ip, limit: 1/1m, dry-run: true}
        - {id: static, match: {path: /static/**}, action: unlimited}
        - {id: greet, match: {grpc: demo.Greeter/Greet}, key: header:x-user-id, limit: 1/1h}
        - {id: internal, match: {path: /internal/**}, action: deny}
      """;

  private static final String SETTINGS =
      """
      upstream: %s
      listen: 127.0.0.1:0
      admin: 127.0.0.1:0
      table: {keys: 10000}
      """;

  private static final long ORDER_INTERVAL_NS = TimeUnit.SECONDS.toNanos(6);
  private static final long SEARCH_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final String REFUSAL_START = "HTTP/1.1 429 ";
  private static final int STATIC_ROUNDS = 100;
  private static final int STATIC_CLIENTS = 20;

  private final PrintWriter out;
  private final DemoService service;
  private final Sidecar sidecar;
  private final DemoClient client;
  private boolean asExpected = true;
  private String refusal = "";
  private String refusedCall = "";
  private int sentCount;
  private int passedCount;

  private Demo(PrintWriter out) throws StartException {
    this.out = out;
    service = new DemoService();
    Faults faults = Faults.ofFile("demo");
    String text = String.format(Locale.ROOT, SETTINGS, Run.text(service.address()));
    Settings settings =
        new SettingsFile().read((text + RULES).getBytes(StandardCharsets.UTF_8), faults);
    if (settings == null) {
      throw new IllegalStateException(faults.toString());
    }
    try {
      sidecar = Sidecar.start(settings);
    } catch (StartException e) {
      service.close();
      throw e;
    }
    client = new DemoClient((InetSocketAddress) sidecar.listenAddress());
  }

  /**
   * The whole demo.
   *
   * @param keep whether it goes on running afterwards, to be tried by hand.
   * @return the exit code.
   */
  public static int run(PrintWriter out, PrintWriter err, boolean keep)
      throws IOException, InterruptedException {
    try (Demo demo = new Demo(out)) {
      boolean asExpected = demo.show();
      if (keep) {
        out.print(demo.commands());
        out.flush();
        Run.stopSignals(null).await();
      }
      return asExpected ? Program.OK : Program.FAILED;
    } catch (StartException fault) {
      err.println("weir: " + fault.getMessage());
      return Program.WRONG;
    }
  }

  /**
   * Sends the requests and shows what became of them.
   *
   * @return whether all of it is what the rules say.
   */
  private boolean show() throws IOException, InterruptedException {
    out.printf(
        "service %s  <-  weir %s (%s)  <-  clients; admin %s%n%n%s%n",
        Run.text(service.address()),
        Run.text(sidecar.listenAddress()),
        sidecar.transport(),
        Run.text(sidecar.adminAddress()),
        RULES);
    row("what was sent", "passed", "refused", "the rules say");
    out.println("-".repeat(96));
    showScenarios();
    out.println();
    check(
        service.requestCount() == passedCount,
        sentCount
            + " requests sent, "
            + passedCount
            + " passed, "
            + service.requestCount()
            + " reached the service");
    showRefusal();
    out.printf("%n%s", sidecar.metrics().latencies().table());
    out.println("(of a JVM that has just started; bench/results has measured figures)");
    out.printf(
        "%n%s%n", asExpected ? "All of it is what the rules say." : "NOT what the rules say.");
    out.flush();
    return asExpected;
  }

  private void showScenarios() throws IOException, InterruptedException {
    long orderNs = System.nanoTime();
    DemoClient.Answers alice = client.burst(50, "/orders", "alice");
    int laterOrders = countSince(orderNs, ORDER_INTERVAL_NS);
    scenario("alice: 50 orders at once", 10, 10 + laterOrders, alice);
    scenario("bob: 5 orders at once", 5, 5, client.burst(5, "/orders", "bob"));
    for (String alias : new String[] {"/%6Frders", "/x/..//orders/"}) {
      DemoClient.Answers answers = client.burst(1, alias, "alice");
      scenario("alice spells it " + alias, 0, countSince(orderNs, ORDER_INTERVAL_NS), answers);
    }
    askForRefusal();

    long searchNs = System.nanoTime();
    DemoClient.Answers search = client.burst(12, "/search", null);
    scenario("12 searches at once", 5, 5 + countSince(searchNs, SEARCH_INTERVAL_NS), search);
    TimeUnit.NANOSECONDS.sleep(SEARCH_INTERVAL_NS);
    scenario("1 search 200 ms later", 1, 1, client.burst(1, "/search", null));

    scenario("5 reports, dry run", 5, 5, client.burst(5, "/report", null));
    DemoClient.Answers all = DemoClient.Answers.NONE;
    for (int round = 0; round < STATIC_ROUNDS; round++) {
      all = all.plus(client.burst(STATIC_CLIENTS, "/static/logo.png", null));
    }
    int count = STATIC_ROUNDS * STATIC_CLIENTS;
    scenario(count + " static files, unlimited", count, count, all);
    scenario(
        "2 internal pages, denied",
        0,
        0,
        client.burst(2, "/internal/keys", null),
        RefusalReason.DENIED.httpStatus());
    showCalls();
  }

  /** Two calls of gRPC, of which one may pass. */
  private void showCalls() throws IOException {
    String first = client.call("/demo.Greeter/Greet", "alice");
    refusedCall = client.call("/demo.Greeter/Greet", "alice");
    boolean passes = first.contains("\ngrpc-status: 0\n");
    boolean refuses = refusedCall.contains("\ngrpc-status: 8\n");
    asExpected &= passes && refuses;
    sentCount += 2;
    passedCount += (passes ? 1 : 0) + (refuses ? 0 : 1);
    row(
        "2 gRPC calls over HTTP/2",
        passes ? "1" : "0",
        refuses ? "1 x grpc-status 8" : "-",
        "1 pass" + (passes && refuses ? "" : "  WRONG"));
  }

  private void scenario(String what, int least, int most, DemoClient.Answers answers) {
    scenario(what, least, most, answers, RefusalReason.OVER_LIMIT.httpStatus());
  }

  private void scenario(
      String what, int least, int most, DemoClient.Answers answers, int refusalStatus) {
    int passed = answers.count(200);
    int refused = answers.count(refusalStatus);
    boolean right = least <= passed && passed <= most && passed + refused == answers.totalCount();
    asExpected &= right;
    sentCount += answers.totalCount();
    passedCount += passed;
    String expected = least == most ? least + " pass" : least + " to " + most + " pass";
    row(what, Integer.toString(passed), answers.refusals(), expected + (right ? "" : "  WRONG"));
  }

  private void row(String what, String passed, String refused, String expected) {
    out.printf("%-38s %8s   %-24s %s%n", what, passed, refused, expected);
    out.flush();
  }

  private void check(boolean right, String claim) {
    asExpected &= right;
    out.println(claim + (right ? "." : ".  WRONG"));
  }

  /** One answer to alice in full; a second try if her budget has just grown by one. */
  private void askForRefusal() throws IOException {
    for (int tries = 0; tries < 2 && !refusal.startsWith(REFUSAL_START); tries++) {
      refusal = client.raw("/orders", "alice");
      sentCount++;
      passedCount += refusal.startsWith("HTTP/1.1 200 ") ? 1 : 0;
    }
  }

  private void showRefusal() {
    out.printf("%nWhat alice is told, in full:%n%n%s%n", refusal.indent(2));
    check(
        refusal.startsWith(REFUSAL_START)
            && refusal.toLowerCase(Locale.ROOT).contains("retry-after:"),
        "It has a status of 429 and says when to come again");
    out.printf("%nAnd a refused gRPC call, decoded:%n%n%s%n", refusedCall.indent(2));
    check(
        refusedCall.contains("\ngrpc-status: 8\n")
            && refusedCall.contains("\ngrpc-retry-pushback-ms: -1\n"),
        "It is RESOURCE_EXHAUSTED, and says not to try again within this call");
  }

  /** How much a budget has grown since, should this machine be that slow. */
  private static int countSince(long startNs, long intervalNs) {
    return (int) ((System.nanoTime() - startNs) / intervalNs);
  }

  /** How to try it by hand. */
  private String commands() {
    String address = Run.text(sidecar.listenAddress());
    return String.format(
        Locale.ROOT,
        """

        Still running. Try:
          curl -i -H 'X-User-Id: carol' %s/orders
          curl -i %s/search
          curl %s/latency
        Ctrl-C ends it.
        """,
        address,
        address,
        Run.text(sidecar.adminAddress()));
  }

  @Override
  public void close() {
    client.close();
    sidecar.close();
    service.close();
  }
}

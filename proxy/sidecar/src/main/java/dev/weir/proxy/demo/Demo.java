package dev.weir.proxy.demo;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.traffic.TextCall;
import dev.weir.proxy.traffic.TextClient;
import dev.weir.proxy.traffic.Traffic;
import dev.weir.proxy.wiring.Program;
import dev.weir.proxy.wiring.Run;
import dev.weir.proxy.wiring.Sidecar;
import dev.weir.proxy.wiring.StartException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
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
  private static final long STOP_POLL_MS = 100;
  private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

  private final PrintWriter out;
  private final Traffic traffic = new Traffic(false);
  private final Sidecar sidecar;

  /** Connected with the sidecar, and idle. */
  private final List<TextClient> clients = new ArrayList<>();

  private boolean asExpected = true;
  private String refusal = "";
  private String refusedCall = "";
  private int sentCount;
  private int passedCount;

  private Demo(PrintWriter out) throws StartException, IOException {
    this.out = out;
    Faults faults = Faults.ofFile("demo");
    String text = String.format(Locale.ROOT, SETTINGS, Run.text(traffic.service()));
    Settings settings =
        new SettingsFile().read((text + RULES).getBytes(StandardCharsets.UTF_8), faults);
    if (settings == null) {
      throw new IllegalStateException(faults.toString());
    }
    try {
      sidecar = Sidecar.start(settings);
    } catch (StartException e) {
      traffic.close();
      throw e;
    }
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
        demo.serve(Run.stopSignals(null));
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
        Run.text(traffic.service()),
        Run.text(sidecar.listenAddress()),
        sidecar.transport(),
        Run.text(sidecar.adminAddress()),
        RULES);
    row("what was sent", "passed", "refused", "the rules say");
    out.println("-".repeat(96));
    showScenarios();
    out.println();
    check(
        traffic.servedCount() == passedCount,
        sentCount
            + " requests sent, "
            + passedCount
            + " passed, "
            + traffic.servedCount()
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
    Answers alice = burst(50, "/orders", "alice");
    int laterOrders = countSince(orderNs, ORDER_INTERVAL_NS);
    scenario("alice: 50 orders at once", 10, 10 + laterOrders, alice);
    scenario("bob: 5 orders at once", 5, 5, burst(5, "/orders", "bob"));
    for (String alias : new String[] {"/%6Frders", "/x/..//orders/"}) {
      Answers answers = burst(1, alias, "alice");
      scenario("alice spells it " + alias, 0, countSince(orderNs, ORDER_INTERVAL_NS), answers);
    }
    askForRefusal();

    long searchNs = System.nanoTime();
    Answers search = burst(12, "/search", null);
    scenario("12 searches at once", 5, 5 + countSince(searchNs, SEARCH_INTERVAL_NS), search);
    TimeUnit.NANOSECONDS.sleep(SEARCH_INTERVAL_NS);
    scenario("1 search 200 ms later", 1, 1, burst(1, "/search", null));

    scenario("5 reports, dry run", 5, 5, burst(5, "/report", null));
    Answers all = Answers.NONE;
    for (int round = 0; round < STATIC_ROUNDS; round++) {
      all = all.plus(burst(STATIC_CLIENTS, "/static/logo.png", null));
    }
    int count = STATIC_ROUNDS * STATIC_CLIENTS;
    scenario(count + " static files, unlimited", count, count, all);
    scenario(
        "2 internal pages, denied",
        0,
        0,
        burst(2, "/internal/keys", null),
        RefusalReason.DENIED.httpStatus());
    showCalls();
  }

  /** Two calls of gRPC, of which one may pass. */
  private void showCalls() throws IOException {
    String first;
    try (TextCall caller = traffic.connectCall(sidecar.listenAddress())) {
      first = call(caller);
      refusedCall = call(caller);
    }
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

  private String call(TextCall caller) throws IOException {
    caller.ask("/demo.Greeter/Greet", "alice");
    exchange();
    return caller.answer();
  }

  /**
   * Sends requests at once, each on a connection that no other one uses at the time.
   *
   * @param user null for one that does not say who it is.
   */
  private Answers burst(int count, String path, String user) throws IOException {
    while (clients.size() < count) {
      clients.add(traffic.connect(sidecar.listenAddress()));
    }
    for (TextClient client : clients.subList(0, count)) {
      client.ask(path, user);
    }
    exchange();
    Answers answers = Answers.NONE;
    for (TextClient client : clients.subList(0, count)) {
      answers = answers.plus(client.status());
    }
    return answers;
  }

  private void exchange() throws IOException {
    traffic.exchange(System.nanoTime() + TIMEOUT_NS);
  }

  private void scenario(String what, int least, int most, Answers answers) {
    scenario(what, least, most, answers, RefusalReason.OVER_LIMIT.httpStatus());
  }

  private void scenario(String what, int least, int most, Answers answers, int refusalStatus) {
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
      passedCount += burst(1, "/orders", "alice").count(200);
      sentCount++;
      refusal = clients.get(0).answer();
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

  /** Lets the service answer until the process is told to stop. */
  private void serve(CountDownLatch stop) throws IOException {
    for (TextClient client : clients) {
      client.close(); // or the sidecar does, as they are idle
    }
    while (stop.getCount() > 0) {
      traffic.serve(STOP_POLL_MS);
    }
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
    sidecar.close();
    traffic.close();
  }
}

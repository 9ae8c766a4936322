package dev.weir.bench.decision;

import dev.weir.bench.report.MarkdownReport;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.RoundColumns;
import dev.weir.bench.rounds.RoundTable;
import java.util.Locale;

/** The report, as Markdown that reads on a terminal too. */
final class DecisionReport extends MarkdownReport {
  private static final String CALLS =
      """
      *us/call* is processor time of the server's process (user and system) over calls answered: the steadiest
      figure. Each server has one core and one thread for all that it does. Each call has a deadline of its own,
      clients keep a table of fields as real ones do, and 8x64 is 64 calls at once on each of 8 connections. Servers
      take turns, round by round; a ratio is of one round, and its median and spread (least..most) are over the rounds.
      *echo* decodes the fields of a call and sends its message back, on the engine that the decision API stands on:
      what no server of calls can do without; *grpc-java* does the same with directExecutor. *core %* is how much
      of its core a server took: well below 100, calls/s are those that the load can make, and only us/call compares.
      *others %* is what else ran on that core. A call of CheckRateLimits asks for 32 identities, one of
      ShouldRateLimit has two descriptors; of a million budgets each is as likely as another.
      """;

  private static final String FIXED =
      """
      CheckRateLimit at %.0f %% of what each sustained as fast as it goes. *p99* is from when a call was due, and *p99
      from sending* from when the harness sent it, which is late itself by what waking up takes on this machine. Server and
      harness are warmed up at that rate before.
      """;

  private static final String STORE =
      """
      ShouldRateLimit of two descriptors in mode exact, 100,000 keys. Redis has a core of its own, and *Redis, core %* is
      how much of it its main thread took; the sidecar shares the other one with the load, so that it has less than a core.
      *requests* are what Redis is sent per call, and *commands* what it carries out, in the script or not.
      *INCRBY and EXPIRE* are the commands of envoyproxy/ratelimit for each descriptor, those of a call in one pipeline,
      512 calls at once, by a client that only counts replies.
      """;

  private static final String CHECKS =
      """
      Requests of HTTP/1.1 on 64 connections through nginx to a service that answers 100 bytes, 100,000 identities. nginx
      and the sidecar share one core, and processor time is that of both.
      """;

  DecisionReport(String command) {
    super("What a call of the decision API costs", command);
  }

  void calls(CallBench bench) {
    bench.attendance.tell(this);
    final RoundTable<CallLoad, LoadFigures> figures = bench.table;
    section("Calls that the sidecar decides");
    paragraph(CALLS);
    table(
        new RoundColumns<>(figures)
            .cell("call", CallLoad::ask)
            .cell("budgets", CallLoad::budgets)
            .cell("in flight", CallLoad::inFlightText)
            .name("server")
            .spread("us/call", LoadFigures::requestUs, 2)
            .text(
                "to echo",
                (load, name) ->
                    figures.ratio(load, name, echoOf(name), LoadFigures::requestUs).text(2))
            .ratio("to grpc-java", "grpc-java", LoadFigures::requestUs)
            .spread("calls/s", LoadFigures::perSecond, 0)
            .text("decisions/s", (load, name) -> decisions(figures, load, name))
            .median("core %", LoadFigures::corePercent)
            .median("others %", LoadFigures::othersPercent)
            .median("RSS MiB", LoadFigures::residentMib)
            .text(
                "failed %",
                (load, name) ->
                    number(figures.spread(load, name, LoadFigures::wrongPercent).most(), 2))
            .table(load -> !load.isOpen()));
    if (figures.cells().stream().anyMatch(CallLoad::isOpen)) {
      paragraph(FIXED, 100 * CallBench.FIXED_SHARE);
      table(
          new RoundColumns<>(figures)
              .cell("in flight", CallLoad::inFlightText)
              .name("server")
              .cell("rate asked", load -> number(load.perSecond(), 0) + "/s")
              .median("calls/s", LoadFigures::perSecond)
              .spread("p50 ms", LoadFigures::p50Ms, 2)
              .spread("p99 ms", LoadFigures::p99Ms, 2)
              .spread("p99 from sending, ms", LoadFigures::sentP99Ms, 2)
              .spread("us/call", LoadFigures::requestUs, 2)
              .median("core %", LoadFigures::corePercent)
              .table(CallLoad::isOpen));
    }
  }

  /** The echo on the same transport; grpc-java has epoll. */
  private static String echoOf(String name) {
    return name.startsWith("weir-") ? name.replace("weir-", "echo-") : "echo-epoll";
  }

  private static String decisions(
      RoundTable<CallLoad, LoadFigures> figures, CallLoad load, String name) {
    return number(
        load.ask().decisions * figures.spread(load, name, LoadFigures::perSecond).median(), 0);
  }

  void store(RoundTable<String, StoreCallBench.Figures> figures) {
    section("Calls that Redis decides");
    paragraph(STORE);
    table(
        new RoundColumns<>(figures)
            .cell("in flight", inFlight -> inFlight)
            .name("asked by")
            .spread("calls/s", StoreCallBench.Figures::perSecond, 0)
            .spread("us/call, sidecar", StoreCallBench.Figures::callUs, 2)
            .spread("us/call, Redis", StoreCallBench.Figures::redisUs, 2)
            .spread("Redis, core %", StoreCallBench.Figures::redisPercent, 0)
            .ratio(
                "Redis us, to INCRBY and EXPIRE",
                StoreCallBench.PIPELINES,
                StoreCallBench.Figures::redisUs)
            .spread("requests", StoreCallBench.Figures::requests, 2)
            .spread("commands", StoreCallBench.Figures::commands, 2)
            .table());
  }

  void checks(RoundTable<String, HttpCheckBench.Figures> figures) {
    section("Checks by HTTP");
    paragraph(CHECKS);
    table(
        new RoundColumns<>(figures)
            .name("limited by")
            .spread("requests/s", HttpCheckBench.Figures::perSecond, 0)
            .spread("us/req", HttpCheckBench.Figures::requestUs, 2)
            .spread("us/req, added", HttpCheckBench.Figures::addedUs, 2)
            .ratio(
                "to limit_req",
                HttpCheckBench.Limiter.LIMIT_REQ.toString(),
                HttpCheckBench.Figures::requestUs)
            .table());
  }

  private static String number(double number, int decimals) {
    return Double.isNaN(number) ? "-" : String.format(Locale.ROOT, "%." + decimals + "f", number);
  }
}

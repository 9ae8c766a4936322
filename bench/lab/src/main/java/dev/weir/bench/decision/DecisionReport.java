package dev.weir.bench.decision;

import dev.weir.bench.report.MarkdownReport;
import dev.weir.bench.report.MarkdownTable;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Spread;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

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

  /** An empty report; the command is the one that makes it again. */
  DecisionReport(String command) {
    super("What a call of the decision API costs", command);
  }

  void calls(CallBench bench) {
    bench.versions().forEach((name, version) -> fact(name + ": " + version));
    bench.leftOut().forEach(this::leftOut);
    final RoundTable<CallLoad, CallFigures> table = bench.table();
    section("Calls that the sidecar decides");
    paragraph(CALLS);
    table(closed(table));
    if (table.cells().stream().anyMatch(CallLoad::isOpen)) {
      paragraph(FIXED, 100 * CallBench.FIXED_SHARE);
      table(open(table));
    }
  }

  private static MarkdownTable closed(RoundTable<CallLoad, CallFigures> figures) {
    final MarkdownTable table =
        new MarkdownTable(
            "call",
            "budgets",
            "in flight",
            "server",
            "us/call",
            "to echo",
            "to grpc-java",
            "calls/s",
            "decisions/s",
            "core %",
            "others %",
            "RSS MiB",
            "failed %");
    for (CallLoad load : figures.cells()) {
      if (load.isOpen()) {
        continue;
      }
      for (String name : figures.names(load)) {
        final Spread perSecond = figures.spread(load, name, CallFigures::perSecond);
        table.add(
            load.ask().toString(),
            Integer.toString(load.budgets()),
            load.inFlightText(),
            name,
            figures.spread(load, name, CallFigures::callUs).text(2),
            figures.ratio(load, name, echoOf(name), CallFigures::callUs).text(2),
            figures.ratio(load, name, "grpc-java", CallFigures::callUs).text(2),
            perSecond.text(0),
            number(load.ask().decisions() * perSecond.median(), 0),
            median(figures, load, name, CallFigures::corePercent),
            median(figures, load, name, CallFigures::othersPercent),
            median(figures, load, name, CallFigures::residentMib),
            number(figures.spread(load, name, CallFigures::failedPercent).most(), 2));
      }
    }
    return table;
  }

  /** The echo on the same transport; grpc-java has epoll. */
  private static String echoOf(String name) {
    return name.startsWith("weir-") ? name.replace("weir-", "echo-") : "echo-epoll";
  }

  private static MarkdownTable open(RoundTable<CallLoad, CallFigures> figures) {
    final MarkdownTable table =
        new MarkdownTable(
            "in flight",
            "server",
            "rate asked",
            "calls/s",
            "p50 ms",
            "p99 ms",
            "p99 from sending, ms",
            "us/call",
            "core %");
    for (CallLoad load : figures.cells()) {
      for (String name : load.isOpen() ? figures.names(load) : List.<String>of()) {
        table.add(
            load.inFlightText(),
            name,
            number(load.perSecond(), 0) + "/s",
            median(figures, load, name, CallFigures::perSecond),
            figures.spread(load, name, CallFigures::p50Ms).text(2),
            figures.spread(load, name, CallFigures::p99Ms).text(2),
            figures.spread(load, name, CallFigures::sentP99Ms).text(2),
            figures.spread(load, name, CallFigures::callUs).text(2),
            median(figures, load, name, CallFigures::corePercent));
      }
    }
    return table;
  }

  void store(RoundTable<String, StoreFigures> figures) {
    final MarkdownTable table =
        new MarkdownTable(
            "in flight",
            "asked by",
            "calls/s",
            "us/call, sidecar",
            "us/call, Redis",
            "Redis, core %",
            "Redis us, to INCRBY and EXPIRE",
            "requests",
            "commands");
    for (String cell : figures.cells()) {
      for (String name : figures.names(cell)) {
        table.add(
            cell,
            name,
            figures.spread(cell, name, StoreFigures::perSecond).text(0),
            figures.spread(cell, name, StoreFigures::callUs).text(2),
            figures.spread(cell, name, StoreFigures::redisUs).text(2),
            figures.spread(cell, name, StoreFigures::redisPercent).text(0),
            figures.ratio(cell, name, StoreCallBench.PIPELINES, StoreFigures::redisUs).text(2),
            figures.spread(cell, name, StoreFigures::requests).text(2),
            figures.spread(cell, name, StoreFigures::commands).text(2));
      }
    }
    section("Calls that Redis decides");
    paragraph(STORE);
    table(table);
  }

  void checks(RoundTable<String, HttpCheckBench.Figures> figures) {
    final MarkdownTable table =
        new MarkdownTable("limited by", "requests/s", "us/req", "us/req, added", "to limit_req");
    for (String cell : figures.cells()) {
      for (String name : figures.names(cell)) {
        table.add(
            name,
            figures.spread(cell, name, HttpCheckBench.Figures::perSecond).text(0),
            figures.spread(cell, name, HttpCheckBench.Figures::requestUs).text(2),
            figures.spread(cell, name, HttpCheckBench.Figures::addedUs).text(2),
            figures
                .ratio(
                    cell,
                    name,
                    HttpCheckBench.Limiter.LIMIT_REQ.toString(),
                    HttpCheckBench.Figures::requestUs)
                .text(2));
      }
    }
    section("Checks by HTTP");
    paragraph(CHECKS);
    table(table);
  }

  private static String median(
      RoundTable<CallLoad, CallFigures> figures,
      CallLoad load,
      String name,
      ToDoubleFunction<CallFigures> figure) {
    return figures.spread(load, name, figure).medianText(0);
  }

  private static String number(double number, int decimals) {
    return Double.isNaN(number) ? "-" : String.format(Locale.ROOT, "%." + decimals + "f", number);
  }
}

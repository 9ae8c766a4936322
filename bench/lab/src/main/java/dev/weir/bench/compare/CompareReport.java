package dev.weir.bench.compare;

import dev.weir.bench.compare.Comparison.Cell;
import dev.weir.bench.compare.Contender.Outcome;
import dev.weir.bench.report.MarkdownReport;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.RoundColumns;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.store.StoreComparison;
import dev.weir.bench.store.StoreComparison.Figures;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The report of a comparison, as Markdown that reads on a terminal too. */
final class CompareReport extends MarkdownReport {
  private static final String PROXIES =
      """
      *us/req* is processor time of the server's processes (user and system) over requests answered: the
      steadiest figure. Each server has one core and one thread for all that it does, and the same service
      behind it, which answers 100 bytes over HTTP/1.1, or calls of gRPC with 38 over HTTP/2; connections are
      kept on both sides for 60 s, nothing is logged, X-Forwarded-For is added. TLS is 1.3 with
      TLS_AES_128_GCM_SHA256 and a key on P-256. Clients of HTTP/2 keep a table of fields, as real ones do, and
      calls of gRPC have a deadline each, which moves it. Of handshakes, a request is a connection, a handshake
      and a request over it, and a handshake of the other kind is wrong. Servers take turns, round by round; a ratio is of one round, and
      its median and spread (least..most) are over the rounds; *the better* is the better peer of that round.
      *core %%* is how much of its core a server took: well below 100, requests/s are those that the load can
      make, and only us/req compares. *others %%* is what else ran on that core, the machine's host included:
      above 10 or so, requests/s and latencies say more about that.

      As fast as it goes, each request waits for the one before it on its connection (of HTTP/2, its stream;
      4x16 are 16 streams on each of 4 connections), so nothing is said of latencies there. They are measured at a fixed rate,
      %.0f %% of what the slowest takes at as many requests at once, from when each request was due. A server sleeps
      between requests there, and what waking up costs is in its us/req.

      1 key is one identity that makes all requests; of more, each is as likely as another. A round in which
      more than 1 %% of the answers were not those that are meant is measured again, up to three times, and
      marked if it stays so. Refusing, a budget is one request per hour, but nginx knows no less than one per
      minute, so that of many keys some pass; what has come back is spent before a round begins.
      """;

  private static final String STORE =
      """
      The same Redis server on the server's core, asked in turns by one process on the other. Nothing is
      refused. *us/decision* is processor time: of the server's main thread, and of the whole process that
      asks, its load included. %d decisions are awaited at any time, but where the name says another number:
      latencies are mostly that queue. *EVALSHA* is of a script that knows GCRA alone, sent by a client that
      only counts replies: no library is that cheap. Bucket4j is used asynchronously over Lettuce, by
      compare-and-swap, each bucket with an expiry; *batching* is its own optimization for questions about one
      bucket. Weir's decisions are gathered by its event loop, over
      Lettuce, and decided by the shipped script; those of one key in a batch travel as one.
      """;

  /** More than this of wrong answers is told beside the name. */
  private static final double TOLD_PERCENT = 1;

  CompareReport(String command) {
    super("Weir beside others that limit, in one run", command);
  }

  void proxies(Comparison comparison) {
    comparison.attendance.leftOut().forEach(this::leftOut);
    paragraph(PROXIES, 100 * ProxyBench.FIXED_SHARE);
    paragraph(tables(comparison));
    if (!comparison.setUps.isEmpty()) {
      section("How each is set up");
      paragraph("As it was started first on each wire; for other cases, other ports and limits.");
    }
    comparison.setUps.forEach(
        (of, setUp) -> {
          paragraph(
              of.name()
                  + ", "
                  + comparison.attendance.versions().get(of.name())
                  + ", "
                  + of.wire()
                  + ":");
          paragraph("```\n" + setUp + "\n```");
        });
  }

  /** Headings and tables of proxies, for each wire and outcome; ends with an empty line. */
  static String tables(Comparison comparison) {
    final Map<String, List<Cell>> sections = new LinkedHashMap<>();
    for (Cell cell : comparison.figures.cells()) {
      sections.computeIfAbsent(title(cell), any -> new ArrayList<>()).add(cell);
    }
    final StringBuilder text = new StringBuilder();
    sections.forEach(
        (title, cells) ->
            text.append("## ").append(title).append("\n\n").append(section(comparison, cells)));
    return text.toString();
  }

  private static String title(Cell cell) {
    final Wire wire = cell.traffic().wire();
    return wire
        + (cell.outcome() == Outcome.PASS
            ? ": every request reaches the upstream"
            : wire == Wire.GRPC
                ? ": every call is answered RESOURCE_EXHAUSTED"
                : ": every request is answered 429");
  }

  private static String section(Comparison comparison, List<Cell> cells) {
    final Wire wire = cells.get(0).traffic().wire();
    return "As fast as it goes, "
        + wire.meaning
        + ":\n\n"
        + closed(comparison).table(cell -> cells.contains(cell) && !cell.traffic().open())
        + (cells.stream().noneMatch(cell -> cell.traffic().open())
            ? ""
            : "\nAt a fixed rate:\n\n"
                + open(comparison).table(cell -> cells.contains(cell) && cell.traffic().open()))
        + "\n";
  }

  private static RoundColumns<Cell, LoadFigures> columns(Comparison comparison) {
    return new RoundColumns<>(comparison.figures)
        .text("server", (cell, name) -> label(comparison, cell, name))
        .cell("keys", cell -> cell.traffic().keys());
  }

  private static RoundColumns<Cell, LoadFigures> closed(Comparison comparison) {
    return columns(comparison)
        .cell("in flight", cell -> cell.traffic().inFlightText())
        .spread("us/req", LoadFigures::requestUs, 1)
        .ratio("us/req to nginx", "nginx", LoadFigures::requestUs)
        .ratio("us/req to HAProxy", "haproxy", LoadFigures::requestUs)
        .text(
            "us/req to the better",
            (cell, name) -> toLeast(comparison, cell, name, LoadFigures::requestUs))
        .spread("requests/s", LoadFigures::perSecond, 0)
        .text(
            "requests/s to the better",
            (cell, name) -> comparison.ratioToMost(cell, name, LoadFigures::perSecond).text(2))
        .median("core %", LoadFigures::corePercent)
        .median("others %", LoadFigures::othersPercent)
        .median("RSS MiB", LoadFigures::residentMib);
  }

  private static RoundColumns<Cell, LoadFigures> open(Comparison comparison) {
    return columns(comparison)
        .cell(
            "rate asked", cell -> String.format(Locale.ROOT, "%.0f/s", cell.traffic().perSecond()))
        .median("requests/s", LoadFigures::perSecond)
        .spread("p50 ms", LoadFigures::p50Ms, 2)
        .spread("p99 ms", LoadFigures::p99Ms, 2)
        .text(
            "p99 to the better",
            (cell, name) -> toLeast(comparison, cell, name, LoadFigures::p99Ms))
        .spread("p99.9 ms", LoadFigures::p999Ms, 2)
        .spread("us/req", LoadFigures::requestUs, 1)
        .text(
            "us/req to the better",
            (cell, name) -> toLeast(comparison, cell, name, LoadFigures::requestUs))
        .median("others %", LoadFigures::othersPercent);
  }

  private static String toLeast(
      Comparison comparison, Cell cell, String name, ToDoubleFunction<LoadFigures> figure) {
    return comparison.ratioToLeast(cell, name, figure).text(2);
  }

  private static String label(Comparison comparison, Cell cell, String name) {
    final double wrong = comparison.figures.spread(cell, name, LoadFigures::wrongPercent).most();
    return wrong > TOLD_PERCENT
        ? String.format(Locale.ROOT, "%s (%.1f %% wrong)", name, wrong)
        : name;
  }

  void store(RoundTable<Integer, Figures> figures) {
    section("Decisions against a store");
    paragraph(STORE, StoreComparison.WAITING);
    table(
        new RoundColumns<>(figures)
            .name("asked by")
            .cell("keys", keys -> keys)
            .spread("decisions/s", Figures::perSecond, 0)
            .spread("us/decision, Redis", Figures::serverUs, 2)
            .spread("us/decision, client", Figures::clientUs, 2)
            .spread("p50 us", Figures::p50Us, 0)
            .spread("p99 us", Figures::p99Us, 0)
            .ratio("Redis us, this to Weir's", StoreComparison.WEIR, Figures::serverUs)
            .ratio("client us, this to Weir's", StoreComparison.WEIR, Figures::clientUs)
            .text(
                "decisions/s, Weir's to this",
                (keys, name) ->
                    figures.ratio(keys, StoreComparison.WEIR, name, Figures::perSecond).text(2))
            .text("undecided", (keys, name) -> figures.sum(keys, name, Figures::undecided))
            .table());
  }
}

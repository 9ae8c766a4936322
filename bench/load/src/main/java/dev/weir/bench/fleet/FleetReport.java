package dev.weir.bench.fleet;

import dev.weir.bench.report.Check;
import dev.weir.bench.report.HtmlReport;
import dev.weir.bench.report.MarkdownTable;
import dev.weir.bench.report.ReportFileException;
import dev.weir.bench.report.ReportSection;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.RoundColumns;
import dev.weir.bench.rounds.RoundTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The report on a fleet, as Markdown that reads on a terminal too, and as a page. */
final class FleetReport {
  private static final String OVER =
      """
      *over* is by how many requests the worst window was over the limit, of which it is only known that each was
      admitted between its sending and its answer: what counts is over wherever in between that was. *less* is how many
      fewer were admitted than by one limiter without delay, and *early* how many were refused though what had been
      admitted left room, both of those that came: under overload a unit that came back a moment ago makes a refusal early,
      and *less* is what counts. *undecided* had no decision in time, and did not pass.
      """;

  private static final String MODES =
      """
      Median (least..most) of %d rounds of %s s each, modes by turns, on the same %d sidecars over %s; %s,
      %.0f requests/s (%s of what the limit lets pass), of which the k-th busiest sidecar has a share proportional to 1/k,
      and every 1.5 s others become the busy ones. *local* was decided without waiting for the store, refusals that
      its last answer proved left out. *operations* are checks, asks and what was given back, *calls* those of the script
      that carried them, as the store counts them, *store us* its processor time; each per admitted request. Latencies
      are from when requests were due, in ms; load, sidecars and store share this machine.
      """;

  private static final String FAULTS =
      """
      %d sidecars, %s, %.0f requests/s in each mode (%s of what the limits of %d keys let pass), of which
      every 1.5 s others get most; both modes are asked side by side, for budgets of their own, so that they meet the
      same fault. It happens after a third of %s s, and lasts 1 s if it does. What the store has not decided in %d ms
      (redis.deadline) is refused (on-store-failure: closed). *by hand* is the share of units in hand in the decisions of
      mode leased, *died* what was dropped of them.
      """;

  private static final String AT_ONCE =
      """
      %d requests at one moment, spread over %d sidecars, under a limit of %s: how many passed in %d rounds, each with a
      budget of its own.
      """;

  private static final String PROXIED =
      """
      Requests of HTTP/1.1 on 32 connections through one sidecar to a service, %s for each of %d keys,
      %.0f requests/s, below every limit. %s. *us/req* is processor time of the
      sidecar's process per request. Median (least..most) of %d rounds of %s s, modes by turns; a ratio is of one round.
      Latencies are from when requests were due, in ms.
      """;

  private final Map<String, String> facts = new LinkedHashMap<>();
  private final List<ReportSection> sections = new ArrayList<>();
  private final List<Check> checks = new ArrayList<>();
  private final List<RunResult> runs = new ArrayList<>();

  /** Something to know about how it was measured. */
  void fact(String name, String value) {
    facts.put(name, value);
  }

  /** Whether nothing passed that must not. */
  boolean passed() {
    return checks.stream().allMatch(Check::passed);
  }

  void modes(ModeBench bench) {
    final FleetSettings settings = bench.settings();
    final RoundTable<String, ModeFigures> figures = bench.table();
    for (String name : settings.storeRules()) {
      noneOver("mode " + name, mostOver(figures, name));
    }
    sections.add(
        new ReportSection(
            "Modes beside each other",
            List.of(
                format(
                    MODES,
                    settings.rounds().count(),
                    seconds(settings),
                    settings.sidecars(),
                    settings.shards() == 1 ? "one store" : settings.shards() + " stores",
                    limit(settings),
                    settings.perSecond(),
                    settings.load())),
            new RoundColumns<>(figures)
                .name("mode")
                .spread("admitted/s", ModeFigures::admittedPerSecond, 0)
                .text("over", (cell, name) -> number(mostOver(figures, name)))
                .spread("less %", ModeFigures::lessPercent, 2)
                .spread("early %", ModeFigures::earlyPercent, 2)
                .spread("undecided %", ModeFigures::undecidedPercent, 2)
                .spread("local %", ModeFigures::localPercent, 1)
                .spread("operations", ModeFigures::operationsPerAdmitted, 3)
                .spread("calls", ModeFigures::callsPerAdmitted, 3)
                .spread("store us", ModeFigures::storeUsPerAdmitted, 2)
                .spread("p50", figure -> figure.percentileMs(50), 2)
                .spread("p99", figure -> figure.percentileMs(99), 2)
                .spread("p99.9", figure -> figure.percentileMs(99.9), 2)
                .table()));
    runs.addAll(bench.runs());
  }

  private static double mostOver(RoundTable<String, ModeFigures> figures, String mode) {
    return figures.spread("", mode, ModeFigures::over).most();
  }

  void faults(FaultBench bench) {
    final FleetSettings settings = bench.settings();
    final MarkdownTable table =
        new MarkdownTable(
            "fault",
            "mode",
            "admitted",
            "ideal",
            "over",
            "less %",
            "early %",
            "undecided %",
            "by hand %",
            "died");
    final Map<String, String> meanings = new LinkedHashMap<>();
    for (FaultBench.Row row : bench.rows()) {
      final ModeFigures figures = row.figures();
      table.add(
          row.fault().toString(),
          row.mode(),
          number(figures.admitted()),
          number(figures.ideal()),
          number(figures.over()),
          decimals(figures.lessPercent(), 2),
          decimals(figures.earlyPercent(), 2),
          decimals(figures.undecidedPercent(), 2),
          decimals(row.byHandPercent(), 1),
          Double.isNaN(row.byHandPercent()) ? "-" : number(row.died()));
      checks.add(
          new Check(
              row.fault() + ", " + row.mode() + ": over 0", number(figures.over()), !row.isOver()));
      meanings.put(
          row.fault().toString(),
          row.fault().description()
              + (row.fault().losesWrites() ? "; may be over by what was forgotten" : ""));
    }
    sections.add(
        new ReportSection(
            "Faults",
            List.of(
                format(
                    FAULTS,
                    settings.sidecars(),
                    limit(settings),
                    settings.perSecond(),
                    settings.load(),
                    settings.keys(),
                    seconds(settings),
                    settings.deadlineMs())),
            table));
    sections.add(new ReportSection("What happens", meanings));
  }

  void atOnce(AtOnceBench bench) {
    final MarkdownTable table =
        new MarkdownTable("algorithm", "mode", "least", "most", "over", "undecided");
    for (AtOnceBench.Row row : bench.rows()) {
      table.add(
          row.algorithm().toString(),
          row.mode().toString(),
          number(row.least()),
          number(row.most()),
          number(row.over()),
          number(row.undecided()));
      noneOver(row.algorithm() + ", " + row.mode() + ", at once", row.over());
    }
    sections.add(
        new ReportSection(
            "Many at once",
            List.of(
                format(
                    AT_ONCE,
                    bench.requests(),
                    bench.settings().sidecars(),
                    bench.settings().limit().rate(),
                    bench.rounds())),
            table));
  }

  void proxied(ProxiedBench bench) {
    final FleetSettings settings = bench.settings();
    final String first = settings.modes().get(0).toString();
    sections.add(
        new ReportSection(
            "Proxied",
            List.of(
                format(
                    PROXIED,
                    limit(settings),
                    settings.keys(),
                    settings.perSecond(),
                    bench.cores().text("Sidecar", "load, service and store"),
                    settings.rounds().count(),
                    seconds(settings))),
            new RoundColumns<>(bench.table())
                .name("mode")
                .spread("answered/s", LoadFigures::perSecond, 0)
                .spread("us/req", LoadFigures::requestUs, 2)
                .ratio("us/req to " + first, first, LoadFigures::requestUs)
                .spread("p50", LoadFigures::p50Ms, 3)
                .spread("p99", LoadFigures::p99Ms, 3)
                .ratio("p99 to " + first, first, LoadFigures::p99Ms)
                .spread("refused %", LoadFigures::wrongPercent, 2)
                .table()));
  }

  private void noneOver(String what, double over) {
    checks.add(new Check(what + ": over 0", number(over), over == 0));
  }

  private static String limit(FleetSettings settings) {
    return settings.limit().rate() + " by " + settings.limit().algorithm();
  }

  private static String seconds(FleetSettings settings) {
    final double seconds = settings.rounds().seconds();
    return seconds == Math.rint(seconds) ? Long.toString((long) seconds) : "" + seconds;
  }

  private static String format(String text, Object... values) {
    return String.format(Locale.ROOT, text, values);
  }

  private static String number(double value) {
    return format("%.0f", value);
  }

  private static String decimals(double value, int decimals) {
    return Double.isNaN(value) ? "-" : format("%." + decimals + "f", value);
  }

  /** All sections: the words' meaning first. */
  private List<ReportSection> all() {
    final List<ReportSection> all = new ArrayList<>();
    all.add(new ReportSection("What the figures say", List.of(OVER), null));
    all.addAll(sections);
    return all;
  }

  /**
   * All of it.
   *
   * @param command that makes it again.
   */
  String markdown(String command) {
    final StringBuilder text = new StringBuilder("# What a fleet lets pass\n\n");
    text.append("    ").append(command).append("\n\n");
    facts.forEach((name, value) -> text.append("- " + name + ": " + value + "\n"));
    text.append('\n');
    all().forEach(section -> text.append(section.markdown()));
    return text.toString().stripTrailing() + "\n";
  }

  /**
   * Writes it as a page of HTML.
   *
   * @throws ReportFileException naming the file and the cause.
   */
  void writePage(Path file, String command) throws ReportFileException {
    final Map<String, String> measured = new LinkedHashMap<>();
    measured.put("Command", command);
    measured.putAll(facts);
    final List<ReportSection> all = all();
    all.add(new ReportSection("How it was measured", measured));
    new HtmlReport("What a fleet lets pass", checks, all, runs).write(file);
  }
}

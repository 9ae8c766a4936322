package dev.weir.bench.fleet;

import dev.weir.bench.report.Check;
import dev.weir.bench.report.HtmlReport;
import dev.weir.bench.report.MarkdownTable;
import dev.weir.bench.report.ReportFileException;
import dev.weir.bench.report.ReportSection;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Spread;
import dev.weir.proxy.rule.spec.Mode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What was measured of a fleet, as Markdown that reads on a terminal too, and as a page. */
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
    final MarkdownTable table =
        new MarkdownTable(
            "mode",
            "admitted/s",
            "over",
            "less %",
            "early %",
            "undecided %",
            "local %",
            "operations",
            "calls",
            "store us",
            "p50",
            "p99",
            "p99.9");
    final RoundTable<String, ModeFigures> figures = bench.table();
    for (Mode mode : settings.modes()) {
      final String name = mode.toString();
      final ToText text = (figure, decimals) -> figures.spread("", name, figure).text(decimals);
      final double most = figures.spread("", name, ModeFigures::over).most();
      table.add(
          name,
          text.of(ModeFigures::admittedPerSecond, 0),
          number(most),
          text.of(ModeFigures::lessPercent, 2),
          text.of(ModeFigures::earlyPercent, 2),
          text.of(ModeFigures::undecidedPercent, 2),
          text.of(ModeFigures::localPercent, 1),
          text.of(ModeFigures::operationsPerAdmitted, 3),
          text.of(ModeFigures::callsPerAdmitted, 3),
          text.of(ModeFigures::storeUsPerAdmitted, 2),
          text.of(figure -> figure.percentileMs(50), 2),
          text.of(figure -> figure.percentileMs(99), 2),
          text.of(figure -> figure.percentileMs(99.9), 2));
      if (mode.needsStore()) {
        noneOver("mode " + name, most);
      }
    }
    sections.add(
        new ReportSection(
            "Modes beside each other",
            List.of(
                format(
                    MODES,
                    settings.rounds(),
                    seconds(settings),
                    settings.sidecars(),
                    settings.shards() == 1 ? "one store" : settings.shards() + " stores",
                    limit(settings),
                    settings.perSecond(),
                    settings.load())),
            table));
    runs.addAll(bench.runs());
  }

  /** A figure over the rounds of a mode, with so many decimals. */
  private interface ToText {
    String of(ToDoubleFunction<ModeFigures> figure, int decimals);
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
    final RoundTable<String, ProxiedBench.Figures> figures = bench.table();
    final String first = settings.modes().get(0).toString();
    final MarkdownTable table =
        new MarkdownTable(
            "mode",
            "passed/s",
            "us/req",
            "us/req to " + first,
            "p50",
            "p99",
            "p99 to " + first,
            "refused %");
    for (Mode mode : settings.modes()) {
      final String name = mode.toString();
      table.add(
          name,
          figures.spread("", name, ProxiedBench.Figures::perSecond).text(0),
          figures.spread("", name, ProxiedBench.Figures::requestUs).text(2),
          ratio(figures, name, first, ProxiedBench.Figures::requestUs),
          figures.spread("", name, ProxiedBench.Figures::p50Ms).text(3),
          figures.spread("", name, ProxiedBench.Figures::p99Ms).text(3),
          ratio(figures, name, first, ProxiedBench.Figures::p99Ms),
          figures.spread("", name, ProxiedBench.Figures::refusedPercent).text(2));
    }
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
                    settings.rounds(),
                    seconds(settings))),
            table));
  }

  private static String ratio(
      RoundTable<String, ProxiedBench.Figures> figures,
      String name,
      String first,
      ToDoubleFunction<ProxiedBench.Figures> figure) {
    final Spread ratio = figures.ratio("", name, first, figure);
    return ratio.text(2);
  }

  private void noneOver(String what, double over) {
    checks.add(new Check(what + ": over 0", number(over), over == 0));
  }

  private static String limit(FleetSettings settings) {
    return settings.limit().rate() + " by " + settings.limit().algorithm();
  }

  private static String seconds(FleetSettings settings) {
    final double seconds = settings.seconds();
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

  /** What the words mean, and what was measured. */
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

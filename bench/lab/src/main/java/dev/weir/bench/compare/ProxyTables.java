package dev.weir.bench.compare;

import dev.weir.bench.report.MarkdownTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The figures of proxies as tables, one for each wire and outcome. */
final class ProxyTables {
  /** More than this of wrong answers is told beside the name. */
  private static final double TOLD_PERCENT = 1;

  private final Comparison comparison;

  ProxyTables(Comparison comparison) {
    this.comparison = comparison;
  }

  /** Headings and tables; ends with an empty line. */
  String markdown() {
    final Map<String, List<Cell>> sections = new LinkedHashMap<>();
    for (Cell cell : comparison.cells()) {
      sections.computeIfAbsent(title(cell), any -> new ArrayList<>()).add(cell);
    }
    final StringBuilder text = new StringBuilder();
    sections.forEach(
        (title, cells) -> text.append("## ").append(title).append("\n\n").append(section(cells)));
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

  private String section(List<Cell> cells) {
    final List<Cell> closed = cells.stream().filter(cell -> !cell.traffic().open()).toList();
    final List<Cell> open = cells.stream().filter(cell -> cell.traffic().open()).toList();
    final Wire wire = cells.get(0).traffic().wire();
    return "As fast as it goes, "
        + wire.meaning()
        + ":\n\n"
        + closed(closed)
        + (open.isEmpty() ? "" : "\nAt a fixed rate:\n\n" + open(open))
        + "\n";
  }

  private MarkdownTable closed(List<Cell> cells) {
    final MarkdownTable table =
        new MarkdownTable(
            "server",
            "keys",
            "in flight",
            "us/req",
            "us/req to nginx",
            "us/req to HAProxy",
            "us/req to the better",
            "requests/s",
            "requests/s to the better",
            "core %",
            "others %",
            "RSS MiB");
    for (Cell cell : cells) {
      for (String name : comparison.contenders(cell)) {
        table.add(
            label(cell, name),
            Integer.toString(cell.traffic().keys()),
            cell.traffic().inFlightText(),
            spread(cell, name, RoundFigures::requestUs, 1),
            comparison.ratio(cell, name, "nginx", RoundFigures::requestUs).text(2),
            comparison.ratio(cell, name, "haproxy", RoundFigures::requestUs).text(2),
            comparison.ratioToLeast(cell, name, RoundFigures::requestUs).text(2),
            spread(cell, name, RoundFigures::perSecond, 0),
            comparison.ratioToMost(cell, name, RoundFigures::perSecond).text(2),
            median(cell, name, RoundFigures::corePercent),
            median(cell, name, RoundFigures::othersPercent),
            median(cell, name, RoundFigures::residentMib));
      }
    }
    return table;
  }

  private MarkdownTable open(List<Cell> cells) {
    final MarkdownTable table =
        new MarkdownTable(
            "server",
            "keys",
            "rate asked",
            "requests/s",
            "p50 ms",
            "p99 ms",
            "p99 to the better",
            "p99.9 ms",
            "us/req",
            "us/req to the better",
            "others %");
    for (Cell cell : cells) {
      for (String name : comparison.contenders(cell)) {
        table.add(
            label(cell, name),
            Integer.toString(cell.traffic().keys()),
            String.format(Locale.ROOT, "%.0f/s", cell.traffic().perSecond()),
            median(cell, name, RoundFigures::perSecond),
            spread(cell, name, RoundFigures::p50Ms, 2),
            spread(cell, name, RoundFigures::p99Ms, 2),
            comparison.ratioToLeast(cell, name, RoundFigures::p99Ms).text(2),
            spread(cell, name, RoundFigures::p999Ms, 2),
            spread(cell, name, RoundFigures::requestUs, 1),
            comparison.ratioToLeast(cell, name, RoundFigures::requestUs).text(2),
            median(cell, name, RoundFigures::othersPercent));
      }
    }
    return table;
  }

  private String label(Cell cell, String name) {
    final double wrong = comparison.spread(cell, name, RoundFigures::wrongPercent).most();
    return wrong > TOLD_PERCENT
        ? String.format(Locale.ROOT, "%s (%.1f %% wrong)", name, wrong)
        : name;
  }

  private String spread(
      Cell cell, String name, ToDoubleFunction<RoundFigures> figure, int decimals) {
    return comparison.spread(cell, name, figure).text(decimals);
  }

  private String median(Cell cell, String name, ToDoubleFunction<RoundFigures> figure) {
    return comparison.spread(cell, name, figure).medianText(0);
  }
}

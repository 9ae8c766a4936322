package dev.weir.bench.compare;

import dev.weir.bench.rounds.LoadFigures;
import dev.weir.bench.rounds.RoundColumns;
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
    for (Cell cell : comparison.figures().cells()) {
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
    final Wire wire = cells.get(0).traffic().wire();
    return "As fast as it goes, "
        + wire.meaning()
        + ":\n\n"
        + closed().table(cell -> cells.contains(cell) && !cell.traffic().open())
        + (cells.stream().noneMatch(cell -> cell.traffic().open())
            ? ""
            : "\nAt a fixed rate:\n\n"
                + open().table(cell -> cells.contains(cell) && cell.traffic().open()))
        + "\n";
  }

  private RoundColumns<Cell, LoadFigures> columns() {
    return new RoundColumns<>(comparison.figures())
        .text("server", this::label)
        .cell("keys", cell -> cell.traffic().keys());
  }

  private RoundColumns<Cell, LoadFigures> closed() {
    return columns()
        .cell("in flight", cell -> cell.traffic().inFlightText())
        .spread("us/req", LoadFigures::requestUs, 1)
        .ratio("us/req to nginx", "nginx", LoadFigures::requestUs)
        .ratio("us/req to HAProxy", "haproxy", LoadFigures::requestUs)
        .text("us/req to the better", (cell, name) -> toLeast(cell, name, LoadFigures::requestUs))
        .spread("requests/s", LoadFigures::perSecond, 0)
        .text(
            "requests/s to the better",
            (cell, name) -> comparison.ratioToMost(cell, name, LoadFigures::perSecond).text(2))
        .median("core %", LoadFigures::corePercent)
        .median("others %", LoadFigures::othersPercent)
        .median("RSS MiB", LoadFigures::residentMib);
  }

  private RoundColumns<Cell, LoadFigures> open() {
    return columns()
        .cell(
            "rate asked", cell -> String.format(Locale.ROOT, "%.0f/s", cell.traffic().perSecond()))
        .median("requests/s", LoadFigures::perSecond)
        .spread("p50 ms", LoadFigures::p50Ms, 2)
        .spread("p99 ms", LoadFigures::p99Ms, 2)
        .text("p99 to the better", (cell, name) -> toLeast(cell, name, LoadFigures::p99Ms))
        .spread("p99.9 ms", LoadFigures::p999Ms, 2)
        .spread("us/req", LoadFigures::requestUs, 1)
        .text("us/req to the better", (cell, name) -> toLeast(cell, name, LoadFigures::requestUs))
        .median("others %", LoadFigures::othersPercent);
  }

  private String toLeast(Cell cell, String name, ToDoubleFunction<LoadFigures> figure) {
    return comparison.ratioToLeast(cell, name, figure).text(2);
  }

  private String label(Cell cell, String name) {
    final double wrong = comparison.figures().spread(cell, name, LoadFigures::wrongPercent).most();
    return wrong > TOLD_PERCENT
        ? String.format(Locale.ROOT, "%s (%.1f %% wrong)", name, wrong)
        : name;
  }
}

package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import dev.weir.bench.report.MarkdownReport;
import dev.weir.bench.rounds.RoundColumns;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.store.RecordsBench.Beats;
import dev.weir.bench.store.RecordsBench.Change;
import dev.weir.bench.store.RecordsBench.Writes;
import dev.weir.proxy.records.JsonText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir bench records}: starts a server, measures, prints the report. */
@Command(
    name = "records",
    description = "What do recorded rules and users cost, and how soon is a change everywhere?",
    footer = {
      "",
      "Prints the report; progress goes to standard error. Starts a server of its own on",
      "127.0.0.1 and, with taskset and two cores, gives it one of them and itself another.",
      "Each heart takes a socket of this process and one of the server (ulimit -n)."
    })
public final class RecordsCommand implements Callable<Integer> {
  private static final int MOST_HEARTS = 5_000;
  private static final int MOST_CHANGES = 1_000;
  private static final int MOST_USERS = 1_000_000;

  private static final String HEARTS =
      """
      A heart does what a sidecar does with records: heartbeats at the shipped interval, and reading
      what has changed, by the shipped classes, on a connection of its own. *% of a core* and *us/beat*
      are processor time of all threads of redis-server (/proc/PID/stat), sockets included; nothing
      changes meanwhile.
      """;

  private static final String CHANGES =
      """
      One rule is changed, %d times. From the acknowledgement to when half of the hearts, and the last
      of them, have read the new rule; what a sidecar does to compile it is left out. Median (least..most)
      of the changes. All hearts share the processor time of this process, which a fleet does not.
      """;

  private static final String WRITES =
      """
      Eight writers, each with a connection, write as fast as they are answered, each record with an entry
      in the audit. Each write follows on the version of the set and the head of the audit, so all race.
      *refused* are calls that were overtaken for 5 s.
      """;

  private static final String OPENING =
      """
      `records: {store: file}`: opening a folder with users, before a start can serve. The first round is the
      first of this JVM.
      """;

  @Mixin private StoreOptions options;

  @Option(
      names = "--hearts",
      paramLabel = "N",
      split = ",",
      defaultValue = "1000,4000",
      description = "Sidecars that beat, of each measurement (default: ${DEFAULT-VALUE}).")
  private List<Integer> hearts;

  @Option(
      names = "--following",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Sidecars that follow changes (default: ${DEFAULT-VALUE}).")
  private int following;

  @Option(
      names = "--changes",
      paramLabel = "N",
      defaultValue = "30",
      description = "How many changes they follow (default: ${DEFAULT-VALUE}).")
  private int changes;

  @Option(
      names = "--users",
      paramLabel = "N",
      defaultValue = "100000",
      description = "Users in the folder that is opened (default: ${DEFAULT-VALUE}).")
  private int users;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Where the figures are written too, as JSON.")
  private Path json;

  @Override
  public Integer call() throws Exception {
    hearts.forEach(count -> options.expectBetween("--hearts", count, 1, MOST_HEARTS));
    options.expectBetween("--following", following, 1, MOST_HEARTS);
    options.expectBetween("--changes", changes, 1, MOST_CHANGES);
    options.expectBetween("--users", users, 1, MOST_USERS);
    options.expectFile("--json", json);
    final Rounds rounds = options.checked();
    try (RedisServer server = options.start(rounds)) {
      final RecordsBench bench = new RecordsBench(server, rounds);
      final MarkdownReport report =
          new MarkdownReport(
              "What records cost, and how soon a change is everywhere", options.command());
      StoreOptions.describe(report, rounds, server);
      final RoundTable<Integer, Beats> beats = bench.beats(hearts);
      report.section("Heartbeats");
      report.paragraph(HEARTS);
      report.table(
          new RoundColumns<>(beats)
              .name("fleet")
              .spread("beats/s", Beats::perSecond, 0)
              .spread("us/beat", Beats::serverUs, 1)
              .spread("% of a core", Beats::share, 1)
              .table());
      final RoundTable<Integer, Change> followed = bench.changes(following, changes);
      report.section("A change");
      report.paragraph(CHANGES, changes);
      report.table(
          new RoundColumns<>(followed)
              .name("fleet")
              .spread("ms to half of them", Change::halfMs, 0)
              .spread("ms to the last", Change::lastMs, 0)
              .table());
      final RoundTable<String, Writes> writes = bench.writes();
      report.section("Writes");
      report.paragraph(WRITES);
      report.table(
          new RoundColumns<>(writes)
              .name("each call writes")
              .spread("records/s", Writes::perSecond, 0)
              .spread("us/record, Redis", Writes::serverUs, 0)
              .text("refused", (cell, name) -> writes.sum(cell, name, Writes::refused))
              .table());
      final RoundTable<String, Double> opening = bench.opening(users);
      report.section("Opening a folder");
      report.paragraph(OPENING);
      report.table(
          new RoundColumns<>(opening).name("holds").spread("ms", Double::doubleValue, 0).table());
      options.print(report.markdown());
      if (json != null) {
        final Map<String, Object> figures = new LinkedHashMap<>();
        add(figures, "beatsPerSecond", beats, Beats::perSecond);
        add(figures, "serverUsPerBeat", beats, Beats::serverUs);
        add(figures, "percentOfCore", beats, Beats::share);
        add(figures, "changeMsToHalf", followed, Change::halfMs);
        add(figures, "changeMsToLast", followed, Change::lastMs);
        add(figures, "writesPerSecond", writes, Writes::perSecond);
        add(figures, "serverUsPerWrite", writes, Writes::serverUs);
        add(figures, "openMs", opening, Double::doubleValue);
        Files.writeString(json, JsonText.write(figures) + "\n");
      }
    }
    return 0;
  }

  /** Adds all rounds of a figure, by name. */
  private static <C, F> void add(
      Map<String, Object> figures, String name, RoundTable<C, F> table, ToDoubleFunction<F> of) {
    final Map<String, Object> rows = new LinkedHashMap<>();
    for (C cell : table.cells()) {
      for (String row : table.names(cell)) {
        rows.put(row, Arrays.stream(table.rounds(cell, row, of)).boxed().toList());
      }
    }
    figures.put(name, rows);
  }
}

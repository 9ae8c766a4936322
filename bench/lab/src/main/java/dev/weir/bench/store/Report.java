package dev.weir.bench.store;

import dev.weir.bench.report.MarkdownReport;
import dev.weir.bench.rounds.RoundColumns;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.store.StoreBench.Meter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The report of {@code weir bench store}. */
final class Report extends MarkdownReport {
  private static final List<String> ALGORITHMS =
      List.of("batch-64-2", "queue", "window", "counter", "log", "ring");

  /** The label of every variant by its id, in the order of the report. */
  private static final Map<String, String> LABELS = new LinkedHashMap<>();

  static {
    Variants.all(1).forEach(variant -> LABELS.put(variant.id(), variant.label()));
  }

  private static final String QUESTION =
      """
      Question: how much of a Redis core does a rate-limit decision take, asked for one by one, in
      pipelines, and in our batches? *us/decision* is processor time of the server's main thread
      (user and system) over decided requests, the steadiest figure; *to pipelined 64* is its ratio
      to one EVALSHA of the shipped script per check, pipelined 64, in the same round. That script
      makes the functions of its other algorithms only for a call that needs them; what its generality
      still costs, *to GCRA alone* tells: it is the ratio to a pipeline of 64 calls of a script that
      knows nothing but GCRA: the harder peer. *client* is the processor time of the thread that
      asks: where it comes near the server's, decisions/s say more about the client.
      """;

  private static final String METHOD =
      """
      Uniform over %,d keys, all there before the measurement (the log: 20,000, the ring: 4,000 keys,
      so that they are full; holds: 20,000); GCRA unless said. Pipelines: one connection, two under way. Before and
      after each measurement one call is decoded and must have been decided as meant: all granted,
      or all refused. *script p99* is the server's own time of one call (INFO latencystats, from
      Redis 7.0).
      """;

  /** An empty report; the command is the one that makes it again. */
  Report(String command) {
    super("What a decision costs in Redis: one client core against one Redis core", command);
  }

  void variants(RoundTable<String, Meter.Sample> results) {
    paragraph(QUESTION);
    paragraph(METHOD, StoreBench.KEYS);
    section("Calls and batches", between("call", "refused"), results);
    section("Algorithms, batches of 64", ALGORITHMS, results);
    section("Holds", between("hold-gcra", "hold-sweep"), results);
  }

  /** Every variant from one to another. */
  private static List<String> between(String first, String last) {
    final List<String> ids = LABELS.keySet().stream().toList();
    return ids.subList(ids.indexOf(first), ids.indexOf(last) + 1);
  }

  /** A section of those variants that were measured; nothing if none was. */
  private void section(String title, List<String> ids, RoundTable<String, Meter.Sample> results) {
    if (results.names("").stream().noneMatch(ids::contains)) {
      return;
    }
    section(title);
    table(
        new RoundColumns<>(results)
            .text("variant", (cell, id) -> LABELS.get(id))
            .spread("decisions/s", Meter.Sample::perSecond, 0)
            .spread("us/decision", Meter.Sample::serverUs, 2)
            .ratio("to pipelined 64", Variants.REFERENCE, Meter.Sample::serverUs)
            .ratio("to GCRA alone", Variants.LEAN, Meter.Sample::serverUs)
            .spread("client us/decision", Meter.Sample::clientUs, 2)
            .spread("script p99 us", Meter.Sample::commandP99Us, 0)
            .text("error replies", (cell, id) -> results.sum(cell, id, Meter.Sample::errors))
            .table((cell, id) -> ids.contains(id)));
  }
}

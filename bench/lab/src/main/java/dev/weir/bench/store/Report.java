package dev.weir.bench.store;

import dev.weir.bench.rounds.Spread;
import java.util.List;
import java.util.Locale;

/** The report, as Markdown that reads on a terminal too. */
final class Report {
  /** From here on a cheaper encoding is worth its price. */
  private static final double WORTHWHILE = 1.5;

  private static final String QUESTION =
      """
      # What a decision costs in Redis: one client core against one Redis core

      Question: how much of a Redis core does a rate-limit decision take, asked for one by one, in
      pipelines, and in our batches? *us/decision* is processor time of the server's main thread
      (user and system) over decided requests, the steadiest figure; *to pipelined 64* is its ratio
      to one EVALSHA of the shipped script per check, pipelined 64, in the same round. That script
      makes the functions of its other algorithms only for a call that needs them; what its generality
      still costs, *to GCRA alone* tells: it is the ratio to a pipeline of 64 calls of a script that knows nothing but GCRA
      (an experiment, see Encodings): the harder peer. *client* is the processor time of
      the thread that asks: where it comes near the server's, decisions/s say more about the client.
      """;

  private static final String METHOD =
      """
      Uniform over %,d keys, all there before the measurement (the log: 20,000, the ring: 4,000 keys,
      so that they are full); GCRA unless said. Pipelines: one connection, two under way. Before and
      after each measurement one call is decoded and must have been decided as meant: all granted,
      or all refused. *script p99* is the server's own time of one call (INFO latencystats, from
      Redis 7.0).
      """;

  private static final String SEQUENCE =
      """
      One command at a time on each connection, the four one after the other. *latency* is from the
      first write of a decision to its last reply: at 16 connections at saturation, so mostly waiting
      for the server; at one, round trips. The published claim is a latency at least 75 %% lower for
      one script than for the four commands. Lower here, beside as many connections:
      %s
      """;

  private static final String ENCODINGS =
      """
      Experiments of this bench: GCRA alone, with the call, the reply and the arithmetic the same and
      only the storage different. The shipped script does what *MGET, SET PX* does, for every
      algorithm and for several limits at once: what it takes beyond that is the price of this.
      *MGET, MSET, no TTL* breaks the promise that everything expires and only shows what expiry
      costs. *Hash per partition and generation* keeps it: %d hashes, a generation lasts as long as
      the limit remembers, the current and the previous one are read, and each hash has one expiry.
      Every identity of these runs was seen in the current generation; just after a change each is
      looked up twice, once. A batch is of one hash, and what is sent is shorter, as a field needs
      less of a name than a key.
      """;

  private static final String ADOPTING =
      """
      Adopting it would take: batches of one partition and one rule each, so few enough partitions
      that batches stay large (a uniform batch of 64 over 1,000 partitions is 64 hashes); a rule's
      longest memory as part of its key, and a way over when the rule is changed to remember longer;
      three names per hash in turn, since a key must be named before the script knows the time; the
      other algorithms in the same layout, logs as fields of up to 64 KB; peek, reset and refund in
      both generations; `lazyfree-lazy-expire yes`, as freeing a large hash stalls the server; and
      budgets that stay in memory for up to two generations instead of until they are whole again.
      """;

  private final ReportTables tables;
  private final Results results;
  private final String origin;
  private final StringBuilder text = new StringBuilder();

  Report(Results results, String origin) {
    this.results = results;
    this.origin = origin;
    tables = new ReportTables(results);
  }

  /** The whole report; ends with a line feed. */
  String markdown() {
    paragraph(QUESTION);
    paragraph(origin);
    paragraph(METHOD, Settings.KEYS);
    section("Calls and batches", tables.costs("call", "refused"));
    section("Algorithms, batches of 64", tables.algorithms());
    section("Floors: one plain command each", tables.costs("get", "set"));
    sequences();
    encodings();
    return text.toString().stripTrailing() + "\n";
  }

  private void sequences() {
    final String table = tables.sequences();
    if (!table.isEmpty()) {
      section("Four commands, or one script", table);
      paragraph(SEQUENCE, lower("") + lower(Variants.ALONE));
    }
  }

  private String lower(String suffix) {
    final StringBuilder lines = new StringBuilder();
    for (String script : List.of(Variants.FOUR_ATOMIC, Variants.LOG_ATOMIC)) {
      final String id = script + suffix;
      final String four = Variants.FOUR + suffix;
      lines.append("- ").append(tables.label(id));
      lines.append(": p50 ").append(percentLower(results.ratio(id, four, Sample::p50Us)));
      lines.append(", p99 ").append(percentLower(results.ratio(id, four, Sample::p99Us)));
      lines.append('\n');
    }
    return lines.toString();
  }

  private static String percentLower(Spread ratio) {
    return Double.isNaN(ratio.median())
        ? "-"
        : String.format(
            Locale.ROOT,
            "%.0f %% (%.0f..%.0f)",
            100 * (1 - ratio.median()),
            100 * (1 - ratio.most()),
            100 * (1 - ratio.least()));
  }

  private void encodings() {
    final String table = tables.encodings();
    if (table.isEmpty()) {
      return;
    }
    section("Encodings", table);
    paragraph(ENCODINGS, PartitionTraffic.PARTITIONS);
    final double gain = tables.gain().median();
    if (!Double.isNaN(gain)) {
      paragraph(
          "The hash is %.2fx cheaper than a key per identity, in batches of 64; %s %.1fx is %s.",
          gain,
          gain > WORTHWHILE ? "more than" : "less than",
          WORTHWHILE,
          gain > WORTHWHILE ? "worth a look" : "not worth its price");
      if (gain > WORTHWHILE) {
        paragraph(ADOPTING);
      }
    }
  }

  private void section(String title, String table) {
    if (!table.isEmpty()) {
      paragraph("## " + title);
      paragraph(table);
    }
  }

  private void paragraph(String format, Object... values) {
    paragraph(String.format(Locale.ROOT, format, values));
  }

  private void paragraph(String paragraph) {
    text.append(paragraph.stripTrailing()).append("\n\n");
  }
}

package dev.weir.bench.store;

import dev.weir.bench.report.MarkdownTable;
import dev.weir.bench.rounds.Spread;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The tables of the report; empty text for one without a row. */
final class ReportTables {
  private static final List<String> ALGORITHMS =
      List.of("batch-64-2", "queue", "window", "counter", "log", "ring");
  private static final List<String> SEQUENCES =
      List.of(Variants.FOUR, Variants.FOUR_ATOMIC, Variants.LOG_ATOMIC);
  private static final int[] ENCODED = {64, 256};

  private final Results results;
  private final List<Variant> variants = Variants.all(1);

  ReportTables(Results results) {
    this.results = results;
  }

  String label(String id) {
    for (Variant variant : variants) {
      if (variant.id().equals(id)) {
        return variant.label();
      }
    }
    throw new IllegalArgumentException("id: " + id + " (expected: that of a variant)");
  }

  /** Every variant from one to another. */
  String costs(String first, String last) {
    final List<String> ids = variants.stream().map(Variant::id).toList();
    return costs(ids.subList(ids.indexOf(first), ids.indexOf(last) + 1));
  }

  String algorithms() {
    return costs(ALGORITHMS);
  }

  private String costs(List<String> ids) {
    final Rows rows =
        new Rows(
            "variant",
            "decisions/s",
            "us/decision",
            "to pipelined 64",
            "to GCRA alone",
            "client us/decision",
            "script p99 us",
            "error replies");
    for (String id : ids) {
      if (measured(id)) {
        rows.add(
            label(id),
            spread(id, Sample::perSecond, 0),
            spread(id, Sample::serverUs, 2),
            results.ratio(id, Variants.REFERENCE, Sample::serverUs).text(2),
            results.ratio(id, Variants.LEAN, Sample::serverUs).text(2),
            spread(id, Sample::clientUs, 2),
            spread(id, Sample::commandP99Us, 0),
            errors(id));
      }
    }
    return rows.text();
  }

  String sequences() {
    final Rows rows =
        new Rows(
            "variant",
            "decisions/s",
            "us/decision",
            "to pipelined 64",
            "client us/decision",
            "latency p50 us",
            "p99 us",
            "error replies");
    for (String suffix : List.of("", Variants.ALONE)) {
      SEQUENCES.forEach(id -> sequence(rows, id + suffix));
    }
    return rows.text();
  }

  private void sequence(Rows rows, String id) {
    if (measured(id)) {
      rows.add(
          label(id),
          spread(id, Sample::perSecond, 0),
          spread(id, Sample::serverUs, 2),
          results.ratio(id, Variants.REFERENCE, Sample::serverUs).text(2),
          spread(id, Sample::clientUs, 2),
          spread(id, Sample::p50Us, 0),
          spread(id, Sample::p99Us, 0),
          errors(id));
    }
  }

  String encodings() {
    final Rows rows =
        new Rows(
            "storage, two batches in flight",
            "decisions/s",
            "us/decision",
            "to pipelined 64",
            "to MGET, SET PX",
            "script p99 us",
            "error replies");
    for (int size : ENCODED) {
      final String base = "strings-" + size;
      for (String id :
          List.of("batch-" + size + "-2", base, "generations-" + size, "forever-" + size)) {
        if (measured(id)) {
          rows.add(
              id.startsWith("batch-") ? "shipped script: batch of " + size : label(id),
              spread(id, Sample::perSecond, 0),
              spread(id, Sample::serverUs, 2),
              results.ratio(id, Variants.REFERENCE, Sample::serverUs).text(2),
              results.ratio(id, base, Sample::serverUs).text(2),
              spread(id, Sample::commandP99Us, 0),
              errors(id));
        }
      }
    }
    return rows.text();
  }

  /** How many times cheaper a decision is in the hash of a generation, in batches of 64. */
  Spread gain() {
    return results.ratio("strings-64", "generations-64", Sample::serverUs);
  }

  private boolean measured(String id) {
    return !results.of(id).isEmpty();
  }

  private String spread(String id, ToDoubleFunction<Sample> figure, int decimals) {
    return results.spread(id, figure).text(decimals);
  }

  private String errors(String id) {
    return Long.toString(results.of(id).stream().mapToLong(Sample::errors).sum());
  }

  /** A table that knows whether it has any. */
  private static final class Rows {
    private final MarkdownTable table;
    private boolean any;

    Rows(String... heads) {
      table = new MarkdownTable(heads);
    }

    void add(String... cells) {
      table.add(cells);
      any = true;
    }

    String text() {
      return any ? table.toString() : "";
    }
  }
}

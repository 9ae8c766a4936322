package dev.weir.bench.store;

import dev.weir.bench.store.CheckTraffic.LogTraffic;
import dev.weir.bench.store.CheckTraffic.Script;
import dev.weir.bench.store.ClosedLoop.Shape;
import dev.weir.scripts.ScriptLimit;
import java.util.ArrayList;
import java.util.List;

/** All that are measured in closed loops, in the order of the report. */
final class Variants {
  /**
   * One way to ask for decisions.
   *
   * @param id for {@code --only}.
   */
  record Variant(String id, String label, Shape shape, CheckTraffic traffic) {}

  /** The variant that the others are compared with. */
  static final String REFERENCE = "pipelined-64";

  /** The variant whose script knows nothing else. */
  static final String LEAN = "lean-64";

  private static final int[] SIZES = {16, 64, 256};
  private static final int BATCH = 64;
  private static final int RING_KEYS = 4_000;

  private final List<Variant> all = new ArrayList<>();
  private final int keys;

  private Variants(int keys) {
    this.keys = keys;
  }

  static List<Variant> all(int keys) {
    final Variants variants = new Variants(keys);
    variants.calls();
    variants.leanCalls();
    variants.batches();
    variants.algorithms();
    variants.holds();
    return variants.all;
  }

  private CheckTraffic shipped(CheckedLimit limit, int keyCount, int checks, long requests) {
    return new CheckTraffic(Script.CHECK, limit, keyCount, checks, requests);
  }

  private void calls() {
    final CheckTraffic one = shipped(CheckedLimit.GCRA, keys, 1, 1);
    add("call", "EVALSHA per check, 16 connections", Shape.UNPIPELINED, one);
    for (int size : SIZES) {
      add("pipelined-" + size, "EVALSHA per check, pipelined " + size, Shape.pipelined(size), one);
    }
  }

  // The least that a script of one algorithm takes.
  private void leanCalls() {
    final CheckTraffic one = new CheckTraffic(Script.GCRA_ALONE, CheckedLimit.GCRA, keys, 1, 1);
    add("lean-call", "EVALSHA per check of GCRA alone, 16 connections", Shape.UNPIPELINED, one);
    add(LEAN, "EVALSHA per check of GCRA alone, pipelined 64", Shape.pipelined(64), one);
  }

  private void batches() {
    for (int size : SIZES) {
      final CheckTraffic batch = shipped(CheckedLimit.GCRA, keys, size, 1);
      add("batch-" + size, "batch of " + size, Shape.inFlight(1), batch);
      add("batch-" + size + "-2", "batch of " + size + ", two in flight", Shape.inFlight(2), batch);
    }
    add(
        "hot",
        "one hot key, 64 entries",
        Shape.inFlight(2),
        shipped(CheckedLimit.GCRA_HOT, 1, BATCH, 1));
    add(
        "hot-coalesced",
        "one hot key, 64 requests as one entry",
        Shape.inFlight(2),
        shipped(CheckedLimit.GCRA_HOT, 1, 1, BATCH));
    add(
        "refused",
        "batch of 64, all refused, two in flight",
        Shape.inFlight(2),
        shipped(CheckedLimit.GCRA_SPENT, keys, BATCH, 1));
  }

  private void algorithms() {
    algorithm("queue", "queue", shipped(CheckedLimit.QUEUE, keys, BATCH, 1));
    algorithm("window", "fixed window", shipped(CheckedLimit.FIXED_WINDOW, keys, BATCH, 1));
    algorithm("counter", "sliding counter", shipped(CheckedLimit.SLIDING_COUNTER, keys, BATCH, 1));
    algorithm("log", "sliding log of 100", new LogTraffic(keys, BATCH));
    algorithm(
        "ring",
        "bucket ring of 10",
        shipped(CheckedLimit.BUCKET_RING, Math.min(keys, RING_KEYS), BATCH, 1));
  }

  // Asking and ending are two operations of an exchange, each in a batch of its own.
  private void holds() {
    hold("hold-gcra", "ask, GCRA", HoldTraffic.Kind.HOLD, HoldTraffic.GCRA);
    hold("settle-gcra", "settle, GCRA", HoldTraffic.Kind.SETTLE, HoldTraffic.GCRA);
    hold("hold-concurrency", "ask, concurrency", HoldTraffic.Kind.HOLD, HoldTraffic.CONCURRENCY);
    add(
        "hold-sweep",
        "ask, GCRA, and sweep one dead holder among 1,000, alone in its call",
        Shape.inFlight(1),
        new HoldTraffic(HoldTraffic.Kind.SWEEP, HoldTraffic.GCRA, 1));
  }

  private void hold(String id, String name, HoldTraffic.Kind kind, ScriptLimit limit) {
    add(
        id,
        name + ", batch of " + HoldTraffic.BATCH,
        Shape.inFlight(1),
        new HoldTraffic(kind, limit, keys));
  }

  private void algorithm(String id, String name, CheckTraffic traffic) {
    add(id, name + ", batch of 64, two in flight", Shape.inFlight(2), traffic);
  }

  private void add(String id, String label, Shape shape, CheckTraffic traffic) {
    all.add(new Variant(id, label, shape, traffic));
  }
}

package dev.weir.bench.simulation;

import java.util.Arrays;

/** The figures of a simulation. Shares are from 0 to 1. */
final class SimulationFigures {
  private final double seconds;
  private final long[][] opsBySecond;
  long offered;
  long admitted;
  long ideal;

  /** Requests by which the worst window of any key was over its limit. */
  long over;

  long early;
  long refused;
  long undecided;
  long withoutWaiting;
  double room;

  /** Units that were kept, and of those what was given back. */
  long kept;

  long unused;

  SimulationFigures(SimulationSettings settings) {
    seconds = settings.lengthNs() / 1e9;
    opsBySecond = new long[settings.shards()][(int) Math.ceil(seconds) + 1];
  }

  void op(int shard, long nowNs) {
    int second = (int) (nowNs / 1_000_000_000);
    opsBySecond[shard][Math.min(second, opsBySecond[shard].length - 1)]++;
  }

  /** Requests admitted fewer than by a limiter without delay, as a share of those that came. */
  double net() {
    return (double) (ideal - admitted) / Math.max(1, offered);
  }

  /** Refused though a limiter that knew what had been used would have admitted them. */
  double early() {
    return (double) early / Math.max(1, offered);
  }

  double undecided() {
    return (double) undecided / Math.max(1, offered);
  }

  /** Units free when requests were refused, on average, as a share of the limit. */
  double room() {
    return room / Math.max(1, refused);
  }

  double local() {
    return (double) withoutWaiting / Math.max(1, offered);
  }

  /** Operations of the store: asks, checks and what is given back, each by itself. */
  long ops() {
    return Arrays.stream(opsBySecond).flatMapToLong(Arrays::stream).sum();
  }

  double opsPerSecond() {
    return ops() / seconds;
  }

  double opsPerAdmitted() {
    return (double) ops() / Math.max(1, admitted);
  }

  /** Operations of one shard in one second, the busiest. */
  long mostOpsOfShard() {
    return Arrays.stream(opsBySecond).flatMapToLong(Arrays::stream).max().orElse(0);
  }
}

package dev.weir.algorithms;

import java.util.ArrayList;
import java.util.List;

/**
 * Everything ever admitted, in order, with the time at which it leaves. To a clock that steps back,
 * more units may be present again than the limit; a log tells of as many as it remembers.
 */
final class ModelSlidingLog extends Model {
  private record Admitted(long leavesNs, long units) {}

  private final long windowNs;
  private final long remembered;
  private List<Admitted> log = new ArrayList<>();

  ModelSlidingLog(long limit, long windowNs, long remembered) {
    super(limit, 1);
    this.windowNs = windowNs;
    this.remembered = remembered;
  }

  @Override
  long current(long nowNs) {
    long present = 0;
    for (Admitted entry : log) {
      if (entry.leavesNs > nowNs) {
        present += entry.units;
      }
    }
    return Math.min(present, remembered);
  }

  @Override
  boolean passes(long cost, long nowNs) {
    return cost <= available(nowNs);
  }

  private long newestLeavesNs() {
    return log.isEmpty() ? 0 : log.get(log.size() - 1).leavesNs;
  }

  @Override
  void charge(long units, long nowNs) {
    log.add(new Admitted(Math.max(nowNs + windowNs, newestLeavesNs()), units));
  }

  @Override
  long resetAtNs(long nowNs) {
    return Math.max(newestLeavesNs(), nowNs);
  }

  /** The newest units that were there by then; if there are none, the oldest that are here. */
  @Override
  void refund(long units, long chargedAtNs, long nowNs) {
    final long leavesNs = chargedAtNs + windowNs;
    if (leavesNs <= nowNs) {
      return;
    }
    long present = 0;
    for (Admitted entry : log) {
      if (entry.leavesNs > nowNs && entry.leavesNs <= leavesNs) {
        present += entry.units;
      }
    }
    removePresent(Math.max(present - units, 0), units, nowNs);
  }

  /** Removes so many units after the first {@code kept} of those present. */
  private void removePresent(long kept, long units, long nowNs) {
    final List<Admitted> rest = new ArrayList<>();
    long toKeep = kept;
    long toRemove = units;
    for (Admitted entry : log) {
      if (entry.leavesNs <= nowNs) {
        rest.add(entry);
        continue;
      }
      final long before = Math.min(toKeep, entry.units);
      final long removed = Math.min(toRemove, entry.units - before);
      toKeep -= before;
      toRemove -= removed;
      if (removed < entry.units) {
        rest.add(new Admitted(entry.leavesNs, entry.units - removed));
      }
    }
    log = rest;
  }

  @Override
  void reset() {
    log.clear();
  }

  /** When the oldest unit that is present leaves. */
  @Override
  long edgeNs(long nowNs) {
    for (Admitted entry : log) {
      if (entry.leavesNs > nowNs) {
        return entry.leavesNs;
      }
    }
    return nowNs + windowNs;
  }

  @Override
  Model sameStateUnder(Model to) {
    if (!(to instanceof ModelSlidingLog other) || other.windowNs != windowNs) {
      return null;
    }
    other.log = log;
    return other;
  }
}

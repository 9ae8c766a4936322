package dev.weir.scripts;

import java.util.ArrayList;
import java.util.List;

/**
 * Says by how much what was used is over a limit, from what the limit promises alone: sums over the
 * moments of use, in every window. Shares nothing with those who grant.
 */
final class UseJudge {
  private record Use(long atUs, long units) {}

  private final LimitSpec spec;
  private final List<Use> uses = new ArrayList<>();

  UseJudge(LimitSpec spec) {
    this.spec = spec;
  }

  /** Units are used; in the order of time. */
  void used(long atUs, long units) {
    uses.add(new Use(atUs, units));
  }

  /** Units over the limit at the worst moment, rounded up; 0 if there is none. */
  long over() {
    long worst = 0;
    for (int last = 0; last < uses.size(); last++) {
      worst = Math.max(worst, overAt(last));
    }
    return worst;
  }

  private long overAt(int last) {
    final long at = uses.get(last).atUs;
    return switch (spec.kind()) {
      case PACED -> overBurst(last);
      case FIXED_WINDOW -> between(last, edgeBefore(at, 3), at) - spec.limit();
      case SLIDING_LOG -> between(last, at - spec.windowUs() + 1, at) - spec.limit();
      case SLIDING_COUNTER -> {
        final long start = edgeBefore(at, 0);
        final long before = between(last, start - spec.windowUs(), start - 1);
        final long weighed = before * (start + spec.windowUs() - at);
        yield between(last, start, at)
            + (weighed + spec.windowUs() - 1) / spec.windowUs()
            - spec.limit();
      }
      case BUCKET_RING -> {
        final long widthUs = spec.windowUs() / spec.subWindows();
        final long first = at - at % widthUs - (spec.subWindows() - 1) * widthUs;
        yield between(last, first, at) - spec.limit();
      }
    };
  }

  /** In the time t no more than the burst and what comes back in t. */
  private long overBurst(int last) {
    long units = 0;
    long worst = 0;
    for (int i = last; i >= 0; i--) {
      units += uses.get(i).units;
      final long passedUs = uses.get(last).atUs - uses.get(i).atUs;
      final long over = (units - spec.limit()) * spec.windowUs() - passedUs * spec.limit();
      worst = Math.max(worst, (over + spec.windowUs() - 1) / spec.windowUs());
    }
    return worst;
  }

  private long edgeBefore(long atUs, long phaseUs) {
    return atUs - Math.floorMod(atUs - phaseUs, spec.windowUs());
  }

  private long between(int last, long fromUs, long toUs) {
    long units = 0;
    for (int i = 0; i <= last; i++) {
      final Use use = uses.get(i);
      units += use.atUs >= fromUs && use.atUs <= toUs ? use.units : 0;
    }
    return units;
  }
}

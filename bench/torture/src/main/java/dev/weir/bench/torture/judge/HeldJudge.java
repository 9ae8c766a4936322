package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.plan.AttackPlan;
import java.util.ArrayList;
import java.util.List;

/** While hostile clients were at work, a process kept no more for them than docs/limits.md says. */
final class HeldJudge implements Judge {
  /** Half of the shipped heap of 256 MiB is for clients, 1,536 bytes of it for a stream. */
  static final long STREAMS_MOST = (128L << 20) / 1_536;

  /**
   * Memory of a process: the shipped heap of 256 MiB, 200 MiB of code, classes and threads, and
   * bodies in transit as docs/operations.md bounds them.
   */
  static final long RSS_MOST_MIB = 640;

  /** Streams of connections whose watches are just being refused. */
  private static final long DECISION_STREAMS_MOST = 400;

  @Override
  public List<Finding> judge(Evidence evidence) {
    final List<Finding> findings = new ArrayList<>();
    for (ProcessEnd end : evidence.ends()) {
      atMost(evidence, findings, end, ProcessEnd.STREAMS, STREAMS_MOST);
      if (hasWatchesOnly(evidence)) {
        atMost(evidence, findings, end, ProcessEnd.DECISION_STREAMS, DECISION_STREAMS_MOST);
      }
      if (evidence.plan().hard()) {
        atMost(evidence, findings, end, ProcessEnd.RSS_MIB, RSS_MOST_MIB);
      }
    }
    return findings;
  }

  /** Whether no attack but watches may open many streams of the decision API. */
  private static boolean hasWatchesOnly(Evidence evidence) {
    return evidence.plan().attacks().stream()
        .map(AttackPlan::kind)
        .noneMatch(
            kind ->
                switch (kind) {
                  case ENDLESS_STREAMS,
                      UNREAD_HTTP2,
                      RAPID_RESETS,
                      CUT_REQUESTS,
                      CHECK_BODIES,
                      REFLECTIONS ->
                      true;
                  default -> false;
                });
  }

  private void atMost(
      Evidence evidence, List<Finding> findings, ProcessEnd end, String what, long most) {
    final double peak = end.peaks().getOrDefault(what, 0.0);
    if (peak > most) {
      findings.add(
          new Finding(
              name(),
              "%s: %s was %.0f (expected: at most %d)".formatted(end.name(), what, peak, most),
              evidence.startNs(),
              Long.MAX_VALUE));
    }
  }
}

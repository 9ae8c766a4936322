package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.plan.RulePlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Honest clients get a decision, whatever hostile ones do: only a fault of a sidecar, of the
 * service, or of the store under {@code on-store-failure: closed} excuses an answer that is none.
 * Outside of faults, one of a hundred answers may take long, and none for ever.
 */
final class SuccessJudge implements Judge {
  private static final long MS = 1_000_000;

  /** In-flight requests are lost with a process before anybody notes the time. */
  private static final long BEFORE_NS = 500 * MS;

  /** After a fault connections are made again, and breakers close. */
  private static final long AFTER_NS = 3_000 * MS;

  /** The time within which 99 of a hundred answers without an excuse come. */
  private static final long P99_NS = 2_000 * MS;

  /** How many of a thousand requests may fail by what else the machine does. */
  private static final int FAILED_PER_MILLE = 1;

  @Override
  public List<Finding> judge(Evidence evidence) {
    final List<Finding> findings = new ArrayList<>();
    final List<Asked> unexcused =
        evidence.asked().stream().filter(asked -> !isExcused(evidence, asked)).toList();
    final List<Asked> failed =
        unexcused.stream()
            .filter(
                asked ->
                    switch (asked.outcome()) {
                      case PASSED, REFUSED, SPOILT -> false;
                      case UNDECIDED -> !evidence.isMostlyDisturbed(); // the store was late
                      case FAILED, NOT_SENT -> true;
                    })
            .toList();
    if (failed.size() > unexcused.size() * FAILED_PER_MILLE / 1_000 + 1) {
      final Asked first = failed.get(0);
      findings.add(
          new Finding(
              name(),
              "%d of %d requests without an excuse failed, first request %d, %s, at sidecar %d, rule %d: %s %s"
                  .formatted(
                      failed.size(),
                      unexcused.size(),
                      first.number(),
                      first.kind(),
                      first.sidecar(),
                      first.rule(),
                      first.outcome(),
                      first.note()),
              first.sentNs(),
              first.answeredNs()));
    }
    final long[] tookNs =
        unexcused.stream().mapToLong(asked -> asked.answeredNs() - asked.sentNs()).toArray();
    Arrays.sort(tookNs);
    if (tookNs.length > 100 && tookNs[tookNs.length * 99 / 100] > P99_NS) {
      findings.add(
          new Finding(
              name(),
              "p99 of requests without an excuse: %d ms"
                  .formatted(tookNs[tookNs.length * 99 / 100] / MS),
              unexcused.get(0).sentNs(),
              unexcused.get(unexcused.size() - 1).answeredNs()));
    }
    return findings;
  }

  private static boolean isExcused(Evidence evidence, Asked asked) {
    if (evidence.isBusy(asked.sentNs(), asked.answeredNs())) {
      return true;
    }
    for (Happening happening : evidence.happenings()) {
      if (happening.touches(asked.sentNs(), asked.answeredNs(), BEFORE_NS, AFTER_NS)
          && excuses(evidence, happening, asked)) {
        return true;
      }
    }
    return false;
  }

  private static boolean excuses(Evidence evidence, Happening happening, Asked asked) {
    return switch (happening.kind().lane()) {
      case SIDECAR -> happening.sidecar() == asked.sidecar(); // of a reload there is none
      case SERVICE -> asked.kind().isProxied();
      case STORE ->
          Budget.versions(evidence, asked.rule(), asked.sentNs(), asked.answeredNs()).stream()
              .anyMatch(RulePlan::needsStore);
    };
  }
}

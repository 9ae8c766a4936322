package dev.weir.bench.torture.judge;

import java.util.ArrayList;
import java.util.List;

/**
 * Each answer is what the service sent, byte for byte, with its trailers; a request that was
 * admitted reached the service, one that was refused did not, and none did so twice
 * (docs/operations.md: what the service may have processed is never sent again).
 */
final class ExchangeJudge implements Judge {
  /** One fault shows itself many times. */
  private static final int FINDINGS_MOST = 5;

  @Override
  public List<Finding> judge(Evidence evidence) {
    final List<Finding> findings = new ArrayList<>();
    for (Asked asked : evidence.asked()) {
      final String wrong = wrong(asked, evidence.served().get(asked.number()));
      if (!wrong.isEmpty() && findings.size() < FINDINGS_MOST) {
        findings.add(
            new Finding(
                name(),
                "request %d, %s, of rule %d: %s"
                    .formatted(asked.number(), asked.kind(), asked.rule(), wrong),
                asked.sentNs(),
                asked.answeredNs()));
      }
    }
    return findings;
  }

  private static String wrong(Asked asked, Served served) {
    if (asked.outcome() == Asked.Outcome.SPOILT) {
      return "its answer " + asked.note();
    }
    if (!asked.kind().isProxied()) {
      return served == null ? "" : "a question reached the service";
    }
    if (served != null && served.count() > 1) {
      return "reached the service " + served.count() + " times";
    }
    if (served != null && asked.outcome() == Asked.Outcome.REFUSED) {
      return "was refused, and reached the service";
    }
    if (served != null && asked.outcome() == Asked.Outcome.NOT_SENT) {
      return "was never sent, and reached the service";
    }
    return served == null && asked.outcome() == Asked.Outcome.PASSED
        ? "was answered as the service does, and did not reach it"
        : "";
  }
}

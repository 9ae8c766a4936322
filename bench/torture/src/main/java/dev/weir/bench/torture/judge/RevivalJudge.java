package dev.weir.bench.torture.judge;

import java.util.List;

/** Budgets are there again, in every mode, when nobody has used them for a while. */
final class RevivalJudge implements Judge {
  @Override
  public List<Finding> judge(Evidence evidence) {
    return evidence.revivals().stream()
        .filter(revival -> !revival.passed())
        .map(
            revival ->
                new Finding(
                    name(),
                    "rule %d at sidecar %d passes nothing %d ms after the last request: %s"
                        .formatted(
                            revival.rule(),
                            revival.sidecar(),
                            (revival.toNs() - revival.fromNs()) / 1_000_000,
                            revival.last()),
                    revival.fromNs(),
                    revival.toNs()))
        .toList();
  }
}

package dev.weir.bench.torture.judge;

import java.util.List;

/** Looks at the evidence of an episode for one kind of fault. */
public interface Judge {
  /** The name that a report of its findings begins with. */
  default String name() {
    return getClass().getSimpleName();
  }

  /** What must not be; empty if all is well. */
  List<Finding> judge(Evidence evidence);

  /** Whether processes are as before. */
  static Judge ofLeftovers() {
    return new LeftoverJudge();
  }

  /** All that there are. */
  static List<Judge> all() {
    return List.of(
        new WindowJudge(),
        new SlotJudge(),
        new EarlyRefusalJudge(),
        new ConservationJudge(),
        new PromiseJudge(),
        new RevivalJudge(),
        new ExchangeJudge(),
        new SuccessJudge(),
        new HeldJudge(),
        new LeftoverJudge());
  }
}

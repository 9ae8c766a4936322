package dev.weir.proxy.admission;

/** The late questions of one event loop; made when needed, and reused. */
final class LateQuestionPool {
  private final ExactGate gate;
  private final LateQuestion[] free;
  private int madeCount;
  private int freeCount;

  LateQuestionPool(ExactGate gate, int maxCount) {
    this.gate = gate;
    free = new LateQuestion[maxCount];
  }

  /** Null if there is none: clients that go leave theirs behind until the answers come. */
  LateQuestion take() {
    if (freeCount > 0) {
      return free[--freeCount];
    }
    if (madeCount == free.length) {
      return null;
    }
    madeCount++;
    return new LateQuestion(gate);
  }

  void leave(LateQuestion late) {
    late.charges.clear();
    late.outcome = null;
    free[freeCount++] = late;
  }
}

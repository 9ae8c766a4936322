package dev.weir.bench.torture.traffic;

import dev.weir.bench.torture.judge.Asked.Outcome;

/**
 * What became of a question.
 *
 * @param note why, unless it passed or was refused.
 */
record Answer(Outcome outcome, String note) {
  static final Answer PASSED = new Answer(Outcome.PASSED, "");
  static final Answer REFUSED = new Answer(Outcome.REFUSED, "");
}

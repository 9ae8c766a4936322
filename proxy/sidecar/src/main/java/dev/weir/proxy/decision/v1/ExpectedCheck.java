package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.grpc.GatheredCalls;
import dev.weir.proxy.request.Question;

/** A check that is going to be asked for: what its message says, and the question. Reused. */
final class ExpectedCheck {
  private final AskedCheck asked = new AskedCheck();
  private final CheckQuestions questions;
  private Question question;

  ExpectedCheck(CheckQuestions questions) {
    this.questions = questions;
  }

  /**
   * Looks at the message of a call.
   *
   * @param before was looked at before it, and is still to be asked for; null if none was.
   * @return whether there is a question; else the call is to be made as if nobody had looked.
   */
  boolean read(GatheredCalls calls, int place, ExpectedCheck before) {
    question = null;
    if (asked.read(
        calls.bytes(),
        calls.offset(place),
        calls.length(place),
        before == null ? null : before.asked)) {
      question =
          questions.of(
              asked, calls.call(place).deadlineNs(), before == null ? null : before.questions);
    }
    return question != null;
  }

  AskedCheck asked() {
    return asked;
  }

  /** Null if there is none. */
  Question question() {
    return question;
  }
}

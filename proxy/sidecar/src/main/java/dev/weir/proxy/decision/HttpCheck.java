package dev.weir.proxy.decision;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.Verdict;

/** An endpoint of HTTP whose requests are one question each. */
abstract class HttpCheck implements HttpEndpoint {
  private final AwaitedVerdicts<HttpCall> verdicts;

  HttpCheck(Admission admission, LoopClock clock) {
    verdicts =
        new AwaitedVerdicts<>(
            admission,
            clock,
            (call, verdict, isRuleWanted, about, atNs) ->
                answer(call, verdict, isRuleWanted, atNs));
  }

  /**
   * Asks.
   *
   * @param isRuleWanted whether there is no answer without a rule.
   */
  final void ask(HttpCall call, Question question, boolean isRuleWanted) {
    verdicts.ask(call, question, isRuleWanted, null, call.arrivedNs());
  }

  /**
   * Answers by what was decided.
   *
   * @param atNs what the verdict's times count from, in the loop's time.
   */
  abstract void answer(HttpCall call, Verdict verdict, boolean isRuleWanted, long atNs);

  @Override
  public final void cancelled(HttpCall call) {
    verdicts.cancelled(call);
  }
}

package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.http.HttpCall;
import dev.weir.proxy.decision.http.HttpEndpoint;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.Verdict;

/** An HTTP endpoint whose requests have one question each. */
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
   * @param isRuleWanted whether the request fails if no rule applies.
   */
  final void ask(HttpCall call, Question question, boolean isRuleWanted) {
    Object awaited = verdicts.ask(call, question, isRuleWanted, null, call.arrivedNs());
    if (awaited != null) {
      call.attach(awaited);
    }
  }

  /**
   * Answers with a verdict.
   *
   * @param atNs the time from which the verdict's times count, in the loop's time.
   */
  abstract void answer(HttpCall call, Verdict verdict, boolean isRuleWanted, long atNs);

  @Override
  public final void cancelled(HttpCall call) {
    verdicts.cancelled(call.attachment());
  }
}

package dev.weir.proxy.decision;

import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Verdict;

/** {@code weir.v1.RateLimiter/CheckRateLimit}: one check, which charges if it is allowed. */
final class CheckRateLimit extends OneQuestion {
  private final CheckOutcome outcome = new CheckOutcome();

  CheckRateLimit(RateLimiterLoop loop) {
    super(loop, "CheckRateLimit", DecisionCall.CHECK_RATE_LIMIT, Operation.CHECK);
  }

  @Override
  void answer(GrpcCall call, Verdict verdict, boolean isRuleWanted, String about, long atNs) {
    outcome.set(verdict, isRuleWanted, isOver(call), atNs);
    if (outcome.status() == GrpcStatus.OK) {
      outcome.write(call.answer());
      call.send();
    } else {
      call.fail(outcome.status(), outcome.message());
    }
  }
}

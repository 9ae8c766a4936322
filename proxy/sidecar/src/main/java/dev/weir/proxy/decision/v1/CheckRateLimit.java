package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.grpc.GatheredCalls;
import dev.weir.proxy.decision.grpc.GrpcCall;
import dev.weir.proxy.grpc.GrpcStatus;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.Verdict;

/**
 * {@code weir.v1.RateLimiter/CheckRateLimit}: one check, which charges if it is allowed. Those that
 * come together are looked at together, as the checks of one call are.
 */
final class CheckRateLimit extends SingleCheckMethod {
  private final CheckOutcome outcome = new CheckOutcome();
  private final ExpectedCheck[] expected = new ExpectedCheck[GatheredCalls.MAX_EXPECTED];
  private final Question[] questions = new Question[GatheredCalls.MAX_EXPECTED];

  CheckRateLimit(RateLimiterLoop loop) {
    super(loop, "CheckRateLimit", DecisionCall.CHECK_RATE_LIMIT, Operation.CHECK);
    for (int i = 0; i < expected.length; i++) {
      expected[i] = new ExpectedCheck(loop.questions().sibling());
    }
  }

  @Override
  public void expect(GatheredCalls calls, int from, int to) {
    ExpectedCheck before = null;
    int count = 0;
    for (int i = from; i < to; i++) {
      GrpcCall call = calls.call(i);
      if (call != null && expected[count].read(calls, i, before)) {
        before = expected[count];
        questions[count++] = before.question();
        call.attach(before);
      }
    }
    loop.admission().expect(questions, count);
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

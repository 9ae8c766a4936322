package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.grpc.GatheredCalls;
import dev.weir.proxy.decision.grpc.GrpcCall;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.Verdict;

/**
 * {@code weir.v1.RateLimiter/CheckRateLimit}: one check, which charges if it is allowed. Checks
 * that arrive together are prefetched together, as those of a batch are.
 */
final class CheckRateLimit extends SingleCheckMethod {
  private final Prefetched[] prefetched = new Prefetched[GatheredCalls.MAX_PREFETCHED];
  private final Question[] questions = new Question[GatheredCalls.MAX_PREFETCHED];

  CheckRateLimit(RateLimiterLoop loop) {
    super(loop, "CheckRateLimit", DecisionCall.CHECK_RATE_LIMIT, Operation.CHECK);
    for (int i = 0; i < prefetched.length; i++) {
      prefetched[i] = new Prefetched(new AskedCheck(), loop.made().sibling());
    }
  }

  @Override
  public void prefetch(GatheredCalls calls, int from, int to) {
    int count = 0;
    for (int i = from; i < to; i++) {
      GrpcCall call = calls.call(i);
      Prefetched before = count == 0 ? null : prefetched[count - 1];
      Question question = call == null ? null : question(calls, i, prefetched[count], before);
      if (question != null) {
        call.attach(prefetched[count]);
        questions[count++] = question;
      }
    }
    loop.admission().prefetch(questions, count);
  }

  /** The question of a call; null if it has a fault, which is reported when the call is made. */
  private static Question question(
      GatheredCalls calls, int place, Prefetched into, Prefetched before) {
    AskedCheck askedBefore = before == null ? null : before.asked();
    if (!into.asked().read(calls.bytes(), calls.offset(place), calls.length(place), askedBefore)) {
      return null;
    }
    long untilNs = calls.call(place).deadlineNs();
    CheckQuestion madeBefore = before == null ? null : before.made();
    return into.made().make(into.asked(), untilNs, madeBefore).question();
  }

  @Override
  void write(GrpcCall call, Verdict verdict, String about, long atNs) {
    outcome.write(call.answer());
  }
}

package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.grpc.GrpcCall;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Verdict;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code weir.v1.RateLimiter/ResetLimit}: makes an identity's budgets full again. Always needs a
 * token, and is logged.
 */
final class ResetLimit extends SingleCheckMethod {
  private static final Logger LOG = LoggerFactory.getLogger(ResetLimit.class);
  private static final int RULE_ID = 1;

  ResetLimit(RateLimiterLoop loop) {
    super(loop, "ResetLimit", DecisionCall.RESET_LIMIT, Operation.RESET);
  }

  @Override
  boolean isAllowed(GrpcCall call) {
    return call.requireToken();
  }

  @Override
  String about(AskedCheck asked) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < asked.identityCount(); i++) {
      text.append(i == 0 ? "" : ", ").append(loop.made().shown(asked, i));
    }
    return text.toString();
  }

  @Override
  void write(GrpcCall call, Verdict verdict, String about, long atNs) {
    LOG.info(
        "decision: limits of rule {} reset for {}, by token {} from {}",
        verdict.ruleId(),
        about,
        call.token(),
        call.peer().address());
    call.answer().bytes(RULE_ID, verdict.ruleIdUtf8());
  }
}

package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.grpc.GrpcCall;
import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.Verdict;

/** {@code weir.v1.RateLimiter/GetRemainingQuota}: what is left of each limit; charges nothing. */
final class GetRemainingQuota extends SingleCheckMethod {
  /** Fields of {@code GetRemainingQuotaResponse}. */
  private static final int RULE_ID = 1;

  private static final int QUOTAS = 2;

  /** Fields of {@code Quota}. */
  private static final int POLICY = 1;

  private static final int CURRENT_COUNT = 2;
  private static final int LIMIT = 3;
  private static final int REMAINING = 4;
  private static final int RESET_AT = 5;
  private static final int STATE = 6;
  private static final int HELD = 7;

  GetRemainingQuota(RateLimiterLoop loop) {
    super(loop, "GetRemainingQuota", DecisionCall.GET_REMAINING_QUOTA, Operation.PEEK);
  }

  @Override
  void complete(Question question) {
    question.wantsRows();
  }

  @Override
  void write(GrpcCall call, Verdict verdict, String about, long atNs) {
    ProtoWriter out = call.answer().bytes(RULE_ID, verdict.ruleIdUtf8());
    for (int i = 0; i < Question.MAX_COSTS; i++) {
      Verdict.Row row = verdict.row(i);
      if (row != null) {
        write(out, row, atNs);
      }
    }
  }

  private static void write(ProtoWriter out, Verdict.Row row, long atNs) {
    long left = Math.min(row.limit(), row.remaining());
    int begun = out.beginMessage(QUOTAS);
    out.text(POLICY, row.policy().name())
        .varint(CURRENT_COUNT, row.limit() - left)
        .varint(LIMIT, row.limit())
        .varint(REMAINING, row.remaining());
    if (!row.policy().isAtATime()) {
      CheckOutcome.writeTime(out, RESET_AT, CheckOutcome.unixNs(atNs + row.resetAfterNs()));
    }
    out.varint(STATE, CheckOutcome.number(row.state())).varint(HELD, row.held());
    out.endMessage(begun);
  }
}

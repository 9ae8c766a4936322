package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.grpc.GrpcCall;
import dev.weir.proxy.decision.grpc.GrpcMethod;
import dev.weir.proxy.decision.http.HttpEndpoint;
import dev.weir.proxy.downstream.answer.AnswerSettings;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.DecisionObserver;
import java.util.ArrayList;
import java.util.List;

/** The parts that methods of {@code weir.v1.RateLimiter} share on one event loop. */
public final class RateLimiterLoop {
  static final String SERVICE = "/weir.v1.RateLimiter/";

  private final Admission admission;
  private final LoopClock clock;
  private final DecisionObserver observer;
  private final AskedCheck asked = new AskedCheck();
  private final CheckQuestion made = new CheckQuestion();

  public RateLimiterLoop(Admission admission, LoopClock clock, DecisionObserver observer) {
    this.admission = admission;
    this.clock = clock;
    this.observer = observer;
  }

  /** The methods of the service. */
  public List<GrpcMethod> methods() {
    return List.of(
        new CheckRateLimit(this),
        new CheckRateLimits(this),
        new GetRemainingQuota(this),
        new ResetLimit(this));
  }

  /**
   * The checks by HTTP.
   *
   * @param answers the RateLimit fields to send.
   */
  public List<HttpEndpoint> endpoints(AnswerSettings answers) {
    List<HttpEndpoint> endpoints = new ArrayList<>();
    endpoints.add(new HttpCheckByJson(this, answers));
    endpoints.addAll(HttpCheckByFields.endpoints(admission, clock, answers));
    return endpoints;
  }

  Admission admission() {
    return admission;
  }

  LoopClock clock() {
    return clock;
  }

  AskedCheck asked() {
    return asked;
  }

  /** The question of the present call. */
  CheckQuestion made() {
    return made;
  }

  /** Records the difference between the caller's clock and ours, if the caller sends its time. */
  void note(AskedCheck of) {
    if (of.hasClientTime()) {
      observer.clientTime(of.clientSeconds(), of.clientNanos(), CheckOutcome.unixNs(clock.nowNs()));
    }
  }

  /** Whether a call's deadline has passed. */
  boolean isOver(GrpcCall call) {
    return clock.nowNs() >= call.deadlineNs();
  }

  /** Whether the check fails if no rule applies. */
  boolean isRuleWanted(AskedCheck of) {
    return of.requiresRule() || of.ruleId().length() > 0;
  }
}

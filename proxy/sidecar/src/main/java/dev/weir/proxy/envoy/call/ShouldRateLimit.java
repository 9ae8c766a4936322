package dev.weir.proxy.envoy.call;

import dev.weir.proxy.decision.grpc.GrpcCall;
import dev.weir.proxy.decision.grpc.GrpcMethod;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.ResponseTimes;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.GrpcStatus;
import java.util.Set;

/**
 * {@code envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit}. A call that cannot be
 * decided because of its caller fails with INVALID_ARGUMENT; one on which the store gives no
 * decision with UNAVAILABLE, and Envoy does what its {@code failure_mode_deny} says.
 */
public final class ShouldRateLimit implements GrpcMethod, RateLimitAsker {
  private static final String NO_DECISION = "the rate limit store gave no decision";
  private static final String BUSY = "too many calls await the rate limit store";

  private final RateLimiter limiter;
  private final RateLimitErrors errors;
  private final ResponseTimes times;
  private final LoopClock clock;
  private final RateLimitCall call = new RateLimitCall();
  private final RequestReader reader = new RequestReader();
  private final ResponseWriter writer = new ResponseWriter();

  public ShouldRateLimit(
      RateLimiter limiter, RateLimitErrors errors, ResponseTimes times, LoopClock clock) {
    this.limiter = limiter;
    this.errors = errors;
    this.times = times;
    this.clock = clock;
  }

  @Override
  public String path() {
    return "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  }

  /** The name that envoyproxy/ratelimit has for its health checks. */
  @Override
  public Set<String> healthNames() {
    return Set.of("ratelimit");
  }

  @Override
  public DecisionCall kind() {
    return DecisionCall.SHOULD_RATE_LIMIT;
  }

  @Override
  public void call(GrpcCall of) {
    CallFault fault = reader.read(of.message(), call);
    if (fault != null) {
      errors.ofCaller.increment();
      timed(of);
      of.fail(GrpcStatus.INVALID_ARGUMENT, fault.text());
      return;
    }
    RateLimitVerdict asked = limiter.ask(call, this, of, of.arrivedNs());
    if (asked.isOpen()) {
      of.attach(asked);
    } else {
      answer(of, asked);
    }
  }

  /** A verdict has come late. */
  @Override
  public void decided(Object whose, RateLimitVerdict verdict) {
    GrpcCall of = (GrpcCall) whose;
    of.attach(null);
    answer(of, verdict);
  }

  private void timed(GrpcCall of) {
    times.record(clock.nowNs() - of.arrivedNs());
  }

  private void answer(GrpcCall of, RateLimitVerdict verdict) {
    timed(of);
    if (verdict.fault() != null) {
      errors.ofStore.increment();
      of.fail(
          GrpcStatus.UNAVAILABLE,
          switch (verdict.fault()) {
            case STORE -> NO_DECISION;
            case BUSY -> BUSY;
          });
      return;
    }
    writer.write(verdict, of.answer());
    of.send();
  }

  @Override
  public void cancelled(GrpcCall of) {
    if (of.attachment() instanceof RateLimitVerdict asked) {
      asked.leave(); // what was charged stays charged: to leave is no way around a limit
    }
  }
}

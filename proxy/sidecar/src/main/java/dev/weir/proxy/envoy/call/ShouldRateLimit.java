package dev.weir.proxy.envoy.call;

import dev.weir.proxy.decision.GrpcCall;
import dev.weir.proxy.decision.GrpcMethod;
import dev.weir.proxy.decision.GrpcStatus;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.ResponseTimes;
import dev.weir.proxy.request.DecisionCall;
import java.util.Set;

/**
 * {@code envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit}. A call that cannot be
 * decided is the caller's fault, and answered as such; where the store gives no decision, the call
 * fails as UNAVAILABLE, and Envoy does as its {@code failure_mode_deny} says.
 */
public final class ShouldRateLimit implements GrpcMethod {
  private static final String NO_DECISION = "the rate limit store gave no decision";
  private static final String BUSY = "too many calls await the rate limit store";

  private final RateLimiter limiter;
  private final RateLimitErrors errors;
  private final ResponseTimes times;
  private final LoopClock clock;
  private final RateLimitCall call = new RateLimitCall();
  private final RequestReader reader = new RequestReader();
  private final ResponseWriter writer = new ResponseWriter();
  private Asked free;

  /** A call that waits for the store, until it is answered or its client has left. Reused. */
  private final class Asked implements RateLimitAsker {
    private GrpcCall asking;
    private Asked next;

    @Override
    public void decided(RateLimitVerdict verdict) {
      GrpcCall of = asking;
      give(this);
      if (of != null) {
        of.attach(null);
        answer(of, verdict);
      }
    }
  }

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
      errors.ofCaller();
      timed(of);
      of.fail(GrpcStatus.INVALID_ARGUMENT, fault.text());
      return;
    }
    Asked asked = take();
    asked.asking = of;
    RateLimitVerdict verdict = limiter.ask(call, asked, of.arrivedNs());
    if (verdict == null) {
      of.attach(asked);
    } else {
      give(asked);
      answer(of, verdict);
    }
  }

  private void timed(GrpcCall of) {
    times.record(clock.nowNs() - of.arrivedNs());
  }

  private void answer(GrpcCall of, RateLimitVerdict verdict) {
    timed(of);
    if (verdict.fault() != null) {
      errors.ofStore();
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
    if (of.attachment() instanceof Asked asked) {
      asked.asking = null; // what was charged stays charged: to leave is no way around a limit
    }
  }

  private Asked take() {
    if (free == null) {
      return new Asked();
    }
    Asked asked = free;
    free = asked.next;
    asked.next = null;
    return asked;
  }

  private void give(Asked asked) {
    asked.asking = null;
    asked.next = free;
    free = asked;
  }
}

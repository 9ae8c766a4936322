package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.http.HttpAnswer;
import dev.weir.proxy.decision.http.HttpCall;
import dev.weir.proxy.decision.http.HttpRoute;
import dev.weir.proxy.downstream.answer.AnswerSettings;
import dev.weir.proxy.downstream.answer.LimitValues;
import dev.weir.proxy.downstream.answer.Refusal;
import dev.weir.proxy.downstream.answer.StateField;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalAnswer;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes the parts of responses to checks that the proxy's responses have too: the RateLimit
 * fields, and problems. One per event loop.
 */
final class HttpCheckAnswers {
  private static final byte[] CONTENT_TYPE = HttpRoute.ascii("content-type");
  private static final byte[] RETRY_AFTER = HttpRoute.ascii("retry-after");
  private static final byte[] POLICY = HttpRoute.ascii("ratelimit-policy");
  private static final byte[] RATE_LIMIT = HttpRoute.ascii("ratelimit");
  private static final byte[] X_LIMIT = HttpRoute.ascii("x-ratelimit-limit");
  private static final byte[] X_REMAINING = HttpRoute.ascii("x-ratelimit-remaining");
  private static final byte[] STATE = HttpRoute.ascii(StateField.NAME);
  private static final byte[] X_RESET = HttpRoute.ascii("x-ratelimit-reset");

  private final AnswerSettings settings;
  private final Refusal refusal = new Refusal();
  private final ByteBuf body = Unpooled.buffer(1024); // on the heap: it lives as long as its loop
  private final ByteBuf value = Unpooled.buffer(256);
  private final UnsafeBuffer valueBytes = new UnsafeBuffer(0, 0);

  HttpCheckAnswers(AnswerSettings settings) {
    this.settings = settings;
  }

  /** Adds the fields of the limit that decided, and {@code Retry-After}. */
  void writeLimit(HttpAnswer answer, Verdict verdict) {
    if (verdict.toldState() != null) {
      answer.field(STATE, StateField.of(verdict.toldState()).value());
    }
    if (verdict.allowed()) {
      long resetSeconds = LimitValues.ceilSeconds(verdict.resetAfterNs());
      writeLimit(answer, verdict.policy(), verdict.remaining(), resetSeconds);
      return;
    }
    writeLimit(answer, refusal.describe(verdict));
  }

  private void writeLimit(HttpAnswer answer, Refusal refusal) {
    if (refusal.retryAfterSeconds() > 0) {
      answer.field(RETRY_AFTER, refusal.retryAfterSeconds());
    }
    if (refusal.challenge() != null) {
      answer.field("www-authenticate", refusal.challenge());
    }
    writeLimit(answer, refusal.policy(), refusal.remaining(), refusal.waitSeconds());
  }

  private void writeLimit(HttpAnswer answer, QuotaPolicy policy, long remaining, long waitSeconds) {
    if (policy == null) {
      return;
    }
    if (settings.rateLimit()) {
      LimitValues.writePolicy(value.clear(), policy);
      writeValue(answer, POLICY);
      LimitValues.writeLimit(value.clear(), policy, remaining, waitSeconds);
      writeValue(answer, RATE_LIMIT);
    }
    if (settings.xRateLimit()) {
      answer.field(X_LIMIT, policy.quota()).field(X_REMAINING, remaining);
      if (!policy.isAtATime()) {
        answer.field(X_RESET, waitSeconds);
      }
    }
  }

  private void writeValue(HttpAnswer answer, byte[] name) {
    valueBytes.wrap(value.array());
    answer.field(name, valueBytes, 0, value.readableBytes());
  }

  /** Answers with a refusal. */
  void refuse(HttpCall call, Verdict verdict) {
    refusal.describe(verdict);
    HttpAnswer answer = call.answer(refusal.status()).field(CONTENT_TYPE, refusal.contentType());
    if (verdict.toldState() != null) {
      answer.field(STATE, StateField.of(verdict.toldState()).value());
    }
    writeLimit(answer, refusal);
    for (int i = 0; i < refusal.fields().size(); i++) {
      RefusalAnswer.Field field = refusal.fields().get(i);
      refusal.write(value.clear(), field.value());
      writeValue(answer, field.lowerCaseName());
    }
    refusal.writeBody(body.clear());
    answer.body(body.array(), body.readableBytes()).send();
  }
}

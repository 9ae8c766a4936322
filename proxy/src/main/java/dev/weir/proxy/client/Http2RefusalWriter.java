package dev.weir.proxy.client;

import dev.weir.proxy.http.CurrentDate;
import dev.weir.proxy.http.Refusal;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;

/**
 * Writes a {@link Refusal} as a response of HTTP/2: status, {@code retry-after}, the RateLimit
 * fields, and a problem as the body. One per event loop. {@link #describe} first; what is written
 * then is of that refusal.
 */
final class Http2RefusalWriter {
  /** A power of two. Kinds of refusals that share a place take turns. */
  private static final int TEMPLATES = 64;

  private final Http2RateLimitFields rateLimitFields;
  private final CurrentDate date;
  private final Refusal refusal = new Refusal();
  private final RefusalTemplate[] templates = new RefusalTemplate[TEMPLATES];
  private RefusalTemplate described;

  Http2RefusalWriter(Http2RateLimitFields rateLimitFields, CurrentDate date) {
    this.rateLimitFields = rateLimitFields;
    this.date = date;
  }

  /**
   * Begins with a refusal.
   *
   * @param verdict one that does not allow; read during the call only.
   */
  void describe(Verdict verdict) {
    refusal.describe(verdict);
    int shape = RefusalTemplate.shape(refusal);
    described = template(shape);
    described.answer(refusal, shape, date.text());
  }

  private RefusalTemplate template(int shape) {
    int hash = refusal.reason().ordinal();
    hash = 31 * hash + (refusal.policy() == null ? 0 : refusal.policy().hashCode());
    hash = (31 * hash + shape) * 0x9e3779b9;
    int place = hash >>> 32 - Integer.numberOfTrailingZeros(TEMPLATES);
    if (templates[place] == null) {
      templates[place] = new RefusalTemplate(rateLimitFields);
    }
    return templates[place];
  }

  /** Appends the head's fields. */
  void writeHead(ByteBuf out) {
    described.writeHead(out);
  }

  /** The content; valid until the next refusal is described, and not the caller's to release. */
  ByteBuf body() {
    return described.body();
  }
}

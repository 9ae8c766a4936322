package dev.weir.proxy.downstream.answer;

import dev.weir.proxy.exchange.CurrentDate;
import dev.weir.proxy.exchange.Refusal;
import dev.weir.proxy.request.Verdict;
import java.util.function.Supplier;

/**
 * The answers that one event loop has given to refusals in one version of HTTP, by their kinds: the
 * next of a kind is made of the last one.
 */
public final class RefusalTemplates {
  /** A power of two. Kinds of refusals that share a place take turns. */
  private static final int TEMPLATES = 64;

  private final CurrentDate date;
  private final Supplier<RefusalTemplate> maker;
  private final Refusal refusal = new Refusal();
  private final RefusalTemplate[] templates = new RefusalTemplate[TEMPLATES];

  /**
   * @param maker makes one that is the answer to nothing yet.
   */
  public RefusalTemplates(CurrentDate date, Supplier<RefusalTemplate> maker) {
    this.date = date;
    this.maker = maker;
  }

  /**
   * The answer to a refusal, valid until the next one.
   *
   * @param verdict one that does not allow; read during the call only.
   */
  public RefusalTemplate answer(Verdict verdict) {
    refusal.describe(verdict);
    int shape = RefusalTemplate.shape(refusal);
    RefusalTemplate template = template(shape);
    template.answer(refusal, shape, date.text());
    return template;
  }

  private RefusalTemplate template(int shape) {
    int hash = refusal.reason().ordinal();
    hash = 31 * hash + (refusal.policy() == null ? 0 : refusal.policy().hashCode());
    hash = (31 * hash + shape) * 0x9e3779b9;
    int place = hash >>> 32 - Integer.numberOfTrailingZeros(TEMPLATES);
    if (templates[place] == null) {
      templates[place] = maker.get();
    }
    return templates[place];
  }
}

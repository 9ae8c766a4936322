package dev.weir.proxy.downstream.answer;

import dev.weir.proxy.request.Verdict;
import java.util.function.Supplier;

/**
 * The latest responses of one event loop to refusals in one version of HTTP, by kind: the next
 * response of a kind reuses the last one.
 */
public final class RefusalTemplates {
  /** A power of two. Kinds of refusals with the same index replace each other. */
  private static final int TEMPLATES = 64;

  private final CurrentDate date;
  private final Supplier<RefusalTemplate> maker;
  private final Refusal refusal = new Refusal();
  private final RefusalTemplate[] templates = new RefusalTemplate[TEMPLATES];

  /** The latest of the rules' own answers, which are written anew each time; null at first. */
  private RefusalTemplate own;

  /**
   * @param maker makes an empty template.
   */
  public RefusalTemplates(CurrentDate date, Supplier<RefusalTemplate> maker) {
    this.date = date;
    this.maker = maker;
  }

  /**
   * The response to a refusal, valid until the next call.
   *
   * @param verdict one that does not allow; read during the call only.
   */
  public RefusalTemplate answer(Verdict verdict) {
    refusal.describe(verdict);
    if (refusal.answer() != null) {
      own = own == null ? maker.get() : own;
      own.writeAnew(refusal, date.text());
      return own;
    }
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

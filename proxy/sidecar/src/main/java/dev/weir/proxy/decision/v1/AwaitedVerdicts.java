package dev.weir.proxy.decision.v1;

import dev.weir.proxy.loop.FreeList;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;

/**
 * Asks the questions of calls that have one question each, and has each call answered when its
 * verdict is known, at once or later. One per event loop and kind of calls.
 */
final class AwaitedVerdicts<C> {
  private static final int MAX_KEPT = 1_000;

  private final Admission admission;
  private final LoopClock clock;
  private final Answers<C> answers;
  private final RequestEnd end = new RequestEnd();
  private final FreeList<Late> free = new FreeList<>(MAX_KEPT, Late::new);

  /** The method or endpoint that answers calls. */
  interface Answers<C> {
    /**
     * Answers a call.
     *
     * @param isRuleWanted whether it fails if no rule applies.
     * @param about text that was given with the question.
     * @param atNs the time from which the verdict's times count, in the loop's time.
     */
    void answer(C call, Verdict verdict, boolean isRuleWanted, String about, long atNs);
  }

  /** A question whose verdict is awaited. Reused. */
  private final class Late implements VerdictListener {
    private C call;
    private long ticket;
    private boolean isRuleWanted;
    private String about;

    @Override
    public void decided(long ofTicket, Verdict verdict) {
      C decided = call;
      String what = about;
      leave(this);
      answers.answer(decided, verdict, isRuleWanted, what, clock.nowNs());
    }
  }

  AwaitedVerdicts(Admission admission, LoopClock clock, Answers<C> answers) {
    this.admission = admission;
    this.clock = clock;
    this.answers = answers;
  }

  /**
   * Asks for a call, which is answered within this call or later.
   *
   * @param isRuleWanted whether it fails if no rule applies.
   * @param about text for the answer; null for none.
   * @param nowNs the present time, in the loop's time.
   * @return an object for {@link #cancelled}; null if the call has been answered.
   */
  Object ask(C call, Question question, boolean isRuleWanted, String about, long nowNs) {
    Late late = free.take();
    Asked asked = admission.ask(question, late, nowNs);
    if (asked.verdict() != null) {
      leave(late);
      answers.answer(call, asked.verdict(), isRuleWanted, about, nowNs);
      return null;
    }
    late.call = call;
    late.ticket = asked.ticket();
    late.isRuleWanted = isRuleWanted;
    late.about = about;
    return late;
  }

  /**
   * The call has ended before it was answered. A question that is on its way to the store stays
   * charged, as leaving must not be a way around a limit.
   *
   * @param kept what {@link #ask} returned.
   */
  @SuppressWarnings("unchecked")
  void cancelled(Object kept) {
    Late late = (Late) kept;
    admission.ended(late.ticket, end.set(RequestEnd.How.CLIENT_GONE));
    leave(late);
  }

  private void leave(Late late) {
    late.call = null;
    late.about = null;
    free.give(late);
  }
}

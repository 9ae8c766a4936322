package dev.weir.proxy.decision;

import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asker;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import java.util.ArrayDeque;

/** An endpoint of HTTP whose requests are one question each. */
abstract class HttpCheck implements HttpEndpoint {
  private final Admission admission;
  private final RequestEnd end = new RequestEnd();
  private final ArrayDeque<Late> free = new ArrayDeque<>();

  /** A question whose verdict is awaited. */
  private final class Late implements Asker {
    private HttpCall call;
    private long ticket;
    private boolean isRuleWanted;

    @Override
    public void decided(long ofTicket, Verdict verdict) {
      HttpCall decided = call;
      boolean wantsRule = isRuleWanted;
      leave(this);
      answer(decided, verdict, wantsRule);
    }
  }

  HttpCheck(Admission admission) {
    this.admission = admission;
  }

  /**
   * Asks.
   *
   * @param isRuleWanted whether there is no answer without a rule.
   */
  final void ask(HttpCall call, Question question, boolean isRuleWanted) {
    Late late = free.isEmpty() ? new Late() : free.pollLast();
    long ticket = admission.ask(question, late, call.arrivedNs());
    if (ticket == Admission.SETTLED) {
      leave(late);
      answer(call, admission.verdict(), isRuleWanted);
    } else {
      late.call = call;
      late.ticket = ticket;
      late.isRuleWanted = isRuleWanted;
      call.attach(late);
    }
  }

  /** Answers by what was decided. */
  abstract void answer(HttpCall call, Verdict verdict, boolean isRuleWanted);

  /** What was on its way to the store stays charged: to leave is no way around a limit. */
  @Override
  public final void cancelled(HttpCall call) {
    Late late = (Late) call.attachment();
    admission.ended(late.ticket, end.set(RequestEnd.How.CLIENT_GONE));
    leave(late);
  }

  private void leave(Late late) {
    late.call = null;
    free.addLast(late);
  }
}

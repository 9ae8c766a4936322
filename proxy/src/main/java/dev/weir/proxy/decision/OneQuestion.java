package dev.weir.proxy.decision;

import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asker;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import java.util.ArrayDeque;
import org.agrona.DirectBuffer;

/** A method of {@code weir.v1.RateLimiter} whose calls are one question each. */
abstract class OneQuestion implements GrpcMethod {
  final RateLimiterLoop loop;
  private final String name;
  private final DecisionCall kind;
  private final Operation operation;
  private final RequestEnd end = new RequestEnd();
  private final ArrayDeque<Late> free = new ArrayDeque<>();

  /** A question whose verdict is awaited. */
  private final class Late implements Asker {
    private GrpcCall call;
    private long ticket;
    private boolean isRuleWanted;
    private String about;

    @Override
    public void decided(long ofTicket, Verdict verdict) {
      GrpcCall decided = call;
      String what = about;
      leave(this);
      answer(decided, verdict, isRuleWanted, what);
    }
  }

  OneQuestion(RateLimiterLoop loop, String name, DecisionCall kind, Operation operation) {
    this.loop = loop;
    this.name = name;
    this.kind = kind;
    this.operation = operation;
  }

  /** Whether the call may be made; if not, it has failed. */
  boolean isAllowed(GrpcCall call) {
    return true;
  }

  /** Says more of the question than the message does. */
  void complete(Question question) {}

  /** What the answer has to know of what was asked; null if nothing. */
  String about(AskedCheck asked) {
    return null;
  }

  /**
   * Answers a call.
   *
   * @param isRuleWanted whether there is no answer without a rule.
   * @param about what {@link #about(AskedCheck)} has said.
   */
  abstract void answer(GrpcCall call, Verdict verdict, boolean isRuleWanted, String about);

  @Override
  public final String path() {
    return RateLimiterLoop.SERVICE + name;
  }

  @Override
  public final DecisionCall kind() {
    return kind;
  }

  @Override
  public final void call(GrpcCall call) {
    if (!isAllowed(call)) {
      return;
    }
    DirectBuffer message = call.message();
    AskedCheck asked = loop.asked();
    if (!asked.read(message, 0, message.capacity(), operation == Operation.CHECK)) {
      call.fail(GrpcStatus.INTERNAL, RateLimiterLoop.NO_MESSAGE);
      return;
    }
    Question question = loop.questions().of(asked, operation, call.deadlineNs());
    if (question == null) {
      call.fail(GrpcStatus.INVALID_ARGUMENT, loop.questions().fault());
      return;
    }
    loop.note(asked);
    complete(question);
    ask(call, asked, question);
  }

  private void ask(GrpcCall call, AskedCheck asked, Question question) {
    Late late = free.isEmpty() ? new Late() : free.pollLast();
    late.isRuleWanted = operation != Operation.CHECK || loop.isRuleWanted(asked);
    late.about = about(asked);
    long ticket = loop.admission().ask(question, late, loop.clock().nowNs());
    if (ticket == Admission.SETTLED) {
      String what = late.about;
      leave(late);
      answer(call, loop.admission().verdict(), late.isRuleWanted, what);
    } else {
      late.call = call;
      late.ticket = ticket;
      call.attach(late);
    }
  }

  /** What was on its way to the store stays charged: to leave is no way around a limit. */
  @Override
  public final void cancelled(GrpcCall call) {
    Late late = (Late) call.attachment();
    loop.admission().ended(late.ticket, end.set(RequestEnd.How.CLIENT_GONE));
    leave(late);
  }

  private void leave(Late late) {
    late.call = null;
    late.about = null;
    free.addLast(late);
  }

  /** Whether the call's own time is up. */
  final boolean isOver(GrpcCall call) {
    return loop.clock().nowNs() >= call.deadlineNs();
  }

  /** Fails a call whose verdict is no answer; false if it is one. */
  final boolean failsBy(GrpcCall call, Verdict verdict) {
    GrpcStatus status = CheckOutcome.status(verdict.refusal(), isOver(call));
    if (status != GrpcStatus.OK) {
      call.fail(status, CheckOutcome.message(verdict, isOver(call)));
      return true;
    }
    if (verdict.ruleId() == null) {
      call.fail(GrpcStatus.NOT_FOUND, CheckOutcome.NO_RULE);
      return true;
    }
    return false;
  }
}

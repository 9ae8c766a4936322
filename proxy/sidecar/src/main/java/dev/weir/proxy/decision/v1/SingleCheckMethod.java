package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.grpc.GrpcCall;
import dev.weir.proxy.decision.grpc.GrpcMethod;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.Verdict;
import org.agrona.DirectBuffer;

/** A method of {@code weir.v1.RateLimiter} whose calls have one question each. */
abstract class SingleCheckMethod implements GrpcMethod {
  final RateLimiterLoop loop;

  /** The outcome of the call that is answered. */
  final CheckOutcome outcome = new CheckOutcome();

  private final String name;
  private final DecisionCall kind;
  private final Operation operation;
  private final AwaitedVerdicts<GrpcCall> verdicts;

  SingleCheckMethod(RateLimiterLoop loop, String name, DecisionCall kind, Operation operation) {
    this.loop = loop;
    this.name = name;
    this.kind = kind;
    this.operation = operation;
    verdicts = new AwaitedVerdicts<>(loop.admission(), loop.clock(), this::answer);
  }

  /** A call that was looked at before it is made: its message and its question. */
  record Prefetched(AskedCheck asked, CheckQuestion made) {}

  /** Whether the call may be made; if not, it has failed. */
  boolean isAllowed(GrpcCall call) {
    return true;
  }

  /** Sets further fields of the question. */
  void complete(Question question) {}

  /** Text of the question for the answer; null for none. */
  String about(AskedCheck asked) {
    return null;
  }

  /**
   * Writes the answer to a call with a decision.
   *
   * @param about the text of {@link #about(AskedCheck)}.
   * @param atNs the time from which the verdict's times count, in the loop's time.
   */
  abstract void write(GrpcCall call, Verdict verdict, String about, long atNs);

  private void answer(
      GrpcCall call, Verdict verdict, boolean isRuleWanted, String about, long atNs) {
    outcome.set(verdict, isRuleWanted, loop.isOver(call), atNs);
    if (outcome.status() == GrpcStatus.OK) {
      write(call, verdict, about, atNs);
      call.send();
    } else {
      call.fail(outcome.status(), outcome.message());
    }
  }

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
    if (call.attachment() instanceof Prefetched prefetched) {
      call.attach(null);
      ask(call, prefetched.asked, prefetched.made.question());
      return;
    }
    DirectBuffer message = call.message();
    AskedCheck asked = loop.asked();
    if (!asked.read(message, 0, message.capacity(), operation == Operation.CHECK)) {
      call.fail(GrpcStatus.INTERNAL, GrpcCall.NO_MESSAGE);
      return;
    }
    CheckQuestion made = loop.made().make(asked, operation, call.deadlineNs());
    if (made.fault() != null) {
      call.fail(GrpcStatus.INVALID_ARGUMENT, made.fault());
      return;
    }
    ask(call, asked, made.question());
  }

  private void ask(GrpcCall call, AskedCheck asked, Question question) {
    loop.note(asked);
    question.timedTogether(); // reading the clock for each would cost as much as some decisions
    complete(question);
    boolean isRuleWanted = operation != Operation.CHECK || loop.isRuleWanted(asked);
    Object awaited = verdicts.ask(call, question, isRuleWanted, about(asked), loop.clock().nowNs());
    if (awaited != null) {
      call.attach(awaited);
    }
  }

  @Override
  public final void askedAll() {
    loop.admission().endTogether();
  }

  @Override
  public final void cancelled(GrpcCall call) {
    verdicts.cancelled(call.attachment());
  }
}

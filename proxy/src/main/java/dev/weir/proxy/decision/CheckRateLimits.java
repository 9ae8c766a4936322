package dev.weir.proxy.decision;

import dev.weir.proxy.decision.proto.ProtoReader;
import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import java.util.ArrayDeque;
import org.agrona.DirectBuffer;

/**
 * {@code weir.v1.RateLimiter/CheckRateLimits}: many checks, each with an answer of its own, asked
 * in their order. A message that is malformed anywhere charges nothing.
 */
final class CheckRateLimits implements GrpcMethod {
  /** The most checks of one call. */
  static final int MAX_CHECKS = 1_000;

  /** So many are kept for later calls. */
  private static final int MAX_KEPT = 64;

  private static final int CHECKS = 1;

  /** Fields of {@code CheckRateLimitsResponse}, {@code CheckRateLimitResult} and {@code Status}. */
  private static final int RESULTS = 1;

  private static final int RESPONSE = 1;
  private static final int ERROR = 2;
  private static final int CODE = 1;
  private static final int MESSAGE = 2;

  private final RateLimiterLoop loop;
  private final ProtoReader reader = new ProtoReader();
  private final int[] offsets = new int[MAX_CHECKS];
  private final int[] lengths = new int[MAX_CHECKS];
  private final RequestEnd end = new RequestEnd();
  private final ArrayDeque<AskedChecks> free = new ArrayDeque<>();

  CheckRateLimits(RateLimiterLoop loop) {
    this.loop = loop;
  }

  @Override
  public String path() {
    return RateLimiterLoop.SERVICE + "CheckRateLimits";
  }

  @Override
  public DecisionCall kind() {
    return DecisionCall.CHECK_RATE_LIMITS;
  }

  @Override
  public void call(GrpcCall call) {
    DirectBuffer message = call.message();
    int count = find(message);
    if (count < 0) {
      call.fail(GrpcStatus.INTERNAL, RateLimiterLoop.NO_MESSAGE);
      return;
    }
    if (count > MAX_CHECKS) {
      call.fail(
          GrpcStatus.INVALID_ARGUMENT,
          "checks: " + count + " (expected: at most " + MAX_CHECKS + ")");
      return;
    }
    AskedChecks checks = free.isEmpty() ? new AskedChecks(this) : free.pollLast();
    checks.begin(call, count);
    for (int i = 0; i < count; i++) {
      ask(checks.check(i), message, i);
    }
    if (checks.isDecided()) {
      answer(checks);
    } else {
      call.attach(checks);
    }
  }

  /** How many checks there are, each of them well formed; negative if they are not. */
  private int find(DirectBuffer message) {
    int count = 0;
    boolean isWellFormed = true;
    reader.wrap(message, 0, message.capacity());
    for (int field = reader.next(); field != ProtoReader.END; field = reader.next()) {
      if (field != CHECKS) {
        reader.skip();
        continue;
      }
      reader.bytes();
      if (count < MAX_CHECKS) {
        offsets[count] = reader.offset();
        lengths[count] = reader.length();
      }
      count++;
      isWellFormed =
          loop.asked().read(message, reader.offset(), reader.length(), true) && isWellFormed;
    }
    return isWellFormed && !reader.isMalformed() ? count : -1;
  }

  private void ask(AskedChecks.Check check, DirectBuffer message, int index) {
    AskedCheck asked = loop.asked();
    asked.read(message, offsets[index], lengths[index], true);
    Question question = loop.questions().of(asked, Operation.CHECK, check.call().deadlineNs());
    if (question == null) {
      check.outcome().fail(GrpcStatus.INVALID_ARGUMENT, loop.questions().fault());
      return;
    }
    loop.note(asked);
    long ticket =
        loop.admission()
            .ask(question, check.asking(loop.isRuleWanted(asked)), loop.clock().nowNs());
    if (ticket == Admission.SETTLED) {
      check.settled(loop.admission().verdict());
    } else {
      check.awaits(ticket);
    }
  }

  /** Whether a call's own time is up. */
  boolean isOver(GrpcCall call) {
    return loop.clock().nowNs() >= call.deadlineNs();
  }

  long nowNs() {
    return loop.clock().nowNs();
  }

  /** Answers a call of which all checks are decided. */
  void answer(AskedChecks checks) {
    GrpcCall call = checks.end();
    ProtoWriter out = call.answer();
    for (int i = 0; i < checks.count(); i++) {
      write(out, checks.check(i).outcome());
    }
    leave(checks);
    call.send();
  }

  private static void write(ProtoWriter out, CheckOutcome outcome) {
    int result = out.beginMessage(RESULTS);
    boolean isDecided = outcome.status() == GrpcStatus.OK;
    int begun = out.beginMessage(isDecided ? RESPONSE : ERROR);
    if (isDecided) {
      outcome.write(out);
    } else {
      out.varint(CODE, outcome.status().code()).text(MESSAGE, outcome.message());
    }
    out.endMessage(begun);
    out.endMessage(result);
  }

  @Override
  public void cancelled(GrpcCall call) {
    AskedChecks checks = (AskedChecks) call.attachment();
    checks.end();
    end.set(RequestEnd.How.CLIENT_GONE);
    for (int i = 0; i < checks.count(); i++) {
      if (checks.check(i).isAwaited()) {
        loop.admission().ended(checks.check(i).ticket(), end);
      }
    }
    leave(checks);
  }

  private void leave(AskedChecks checks) {
    if (free.size() < MAX_KEPT) {
      free.addLast(checks);
    }
  }
}

package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.grpc.GrpcCall;
import dev.weir.proxy.decision.grpc.GrpcMethod;
import dev.weir.proxy.decision.proto.ProtoReader;
import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.loop.FreeList;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import org.agrona.DirectBuffer;

/**
 * {@code weir.v1.RateLimiter/CheckRateLimits}: a batch of checks, asked in order, each with an
 * answer of its own. A malformed message charges nothing.
 *
 * <p>All checks are decoded first. Then some at a time become questions, their memory is prefetched
 * together, and they are asked. While {@value #MAX_AWAITED} or more verdicts are awaited none is
 * asked, so the store's deadline is for that many checks and not for the whole batch.
 */
final class CheckRateLimits implements GrpcMethod {
  /** The most checks of one call. */
  static final int MAX_CHECKS = 1_000;

  /** The number of questions that are made before they are asked. */
  private static final int MADE_AT_ONCE = 32;

  /** With so many awaited verdicts no more checks are asked until all of them are known. */
  static final int MAX_AWAITED = 64;

  /** The most bytes of waiting checks of an event loop. */
  static final int MAX_KEPT_BYTES = 16 << 20;

  private static final String TOO_MUCH =
      "too many calls with more than " + MAX_AWAITED + " checks await the store";

  /** The most unused objects that are kept for later calls. */
  private static final int MAX_KEPT = 16;

  private static final int CHECKS = 1;

  /** Fields of {@code CheckRateLimitsResponse}, {@code CheckRateLimitResult} and {@code Status}. */
  private static final int RESULTS = 1;

  private static final int RESPONSE = 1;
  private static final int ERROR = 2;
  private static final int CODE = 1;
  private static final int MESSAGE = 2;

  final RateLimiterLoop loop;
  private final ProtoReader reader = new ProtoReader();
  private final CheckQuestion[] made = new CheckQuestion[MADE_AT_ONCE];
  private final Question[] questions = new Question[MADE_AT_ONCE];
  private final RequestEnd end = new RequestEnd();
  private final FreeList<AskedChecks> free = new FreeList<>(MAX_KEPT, () -> new AskedChecks(this));
  private int keptBytes;

  CheckRateLimits(RateLimiterLoop loop) {
    this.loop = loop;
    for (int i = 0; i < MADE_AT_ONCE; i++) {
      made[i] = loop.made().sibling();
    }
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
    AskedChecks checks = free.take();
    checks.begin(call);
    int count = read(message, checks);
    if (count < 0 || count > MAX_CHECKS) {
      checks.end();
      leave(checks);
      refuse(call, count);
      return;
    }
    ask(checks);
    if (!checks.isAsked()) {
      keep(checks, message);
    }
    if (checks.isDecided()) {
      answer(checks);
    } else {
      call.attach(checks);
    }
  }

  /** Copies the checks that have not been asked yet; or refuses them, as too many wait. */
  private void keep(AskedChecks checks, DirectBuffer message) {
    if (keptBytes + message.capacity() > MAX_KEPT_BYTES) {
      checks.refuseRest(GrpcStatus.RESOURCE_EXHAUSTED, TOO_MUCH);
    } else {
      keptBytes += message.capacity();
      checks.keep(message);
    }
  }

  private static void refuse(GrpcCall call, int count) {
    if (count < 0) {
      call.fail(GrpcStatus.INTERNAL, GrpcCall.NO_MESSAGE);
    } else {
      call.fail(
          GrpcStatus.INVALID_ARGUMENT,
          "checks: " + count + " (expected: at most " + MAX_CHECKS + ")");
    }
  }

  /**
   * The number of checks, of which as many as allowed are decoded; negative if one is malformed.
   */
  private int read(DirectBuffer message, AskedChecks into) {
    int count = 0;
    boolean isWellFormed = true;
    AskedCheck before = null;
    reader.wrap(message, 0, message.capacity());
    for (int field = reader.next(); field != ProtoReader.END; field = reader.next()) {
      if (field != CHECKS) {
        reader.skip();
        continue;
      }
      reader.bytes();
      AskedCheck check = (count++ < MAX_CHECKS ? into.add() : into.check(0)).asked();
      isWellFormed = check.read(message, reader.offset(), reader.length(), before) && isWellFormed;
      before = check;
    }
    return isWellFormed && !reader.isMalformed() ? count : -1;
  }

  /** Asks further checks of a call, as all that were asked are decided. */
  void proceed(AskedChecks checks) {
    ask(checks);
    if (checks.isDecided()) {
      answer(checks);
    }
  }

  /** Asks checks until enough verdicts are awaited, or all are asked. */
  private void ask(AskedChecks checks) {
    try {
      while (!checks.isAsked() && checks.awaitedCount() < MAX_AWAITED) {
        int from = checks.askedCount();
        int count = Math.min(MADE_AT_ONCE, checks.count() - from);
        for (int i = 0; i < count; i++) {
          questions[i] = question(checks.check(from + i), made[i], i == 0 ? null : made[i - 1]);
        }
        loop.admission().prefetch(questions, count);
        for (int i = 0; i < count; i++) {
          if (questions[i] != null) {
            ask(checks.check(from + i), questions[i]);
          }
        }
        checks.asked(from + count);
      }
    } finally {
      loop.admission().sendGathered(loop.clock().nowNs());
    }
  }

  /** The question of a check; null if there is none, as its outcome says. */
  private static Question question(
      AskedChecks.Check check, CheckQuestion into, CheckQuestion before) {
    CheckQuestion made = into.make(check.asked(), check.call().deadlineNs(), before);
    if (made.fault() != null) {
      check.outcome().fail(GrpcStatus.INVALID_ARGUMENT, made.fault());
      return null;
    }
    return made.question().followed();
  }

  private void ask(AskedChecks.Check check, Question question) {
    AskedCheck of = check.asked();
    loop.note(of);
    long askedNs = loop.clock().nowNs();
    Asked asked = loop.admission().ask(question, check.asking(loop.isRuleWanted(of)), askedNs);
    if (asked.verdict() != null) {
      check.settled(asked.verdict(), askedNs);
    } else {
      check.awaits(asked.ticket());
    }
  }

  /** Answers a call whose checks are all decided. */
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
    keptBytes -= checks.drop();
    free.give(checks);
  }
}

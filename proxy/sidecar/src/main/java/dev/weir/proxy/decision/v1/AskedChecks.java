package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.grpc.GrpcCall;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The checks of one batch, until the last is decided. Reused. */
final class AskedChecks {
  private final CheckRateLimits method;
  private final List<Check> checks = new ArrayList<>();
  private final UnsafeBuffer keptView = new UnsafeBuffer(0, 0);
  private GrpcCall call;

  /** A copy of the message while some of its checks have not been asked; else null. */
  private ByteBuf kept;

  private int count;
  private int askedCount;
  private int awaited;

  /** One check of the batch. */
  final class Check implements VerdictListener {
    private final AskedCheck asked = new AskedCheck();
    private final CheckOutcome outcome = new CheckOutcome();
    private long ticket = Admission.SETTLED;
    private boolean isRuleWanted;

    /** Notes, before the check is asked, whether it wants a rule. */
    Check asking(boolean wantsRule) {
      isRuleWanted = wantsRule;
      return this;
    }

    void awaits(long atTicket) {
      ticket = atTicket;
      awaited++;
    }

    /**
     * Takes the verdict.
     *
     * @param atNs the time from which the verdict's times count, in the loop's time.
     */
    void settled(Verdict verdict, long atNs) {
      outcome.set(verdict, isRuleWanted, method.loop.isOver(call), atNs);
    }

    @Override
    public void decided(long ofTicket, Verdict verdict) {
      ticket = Admission.SETTLED;
      settled(verdict, method.loop.clock().nowNs());
      if (--awaited == 0) {
        if (isAsked()) {
          method.answer(AskedChecks.this);
        } else {
          method.proceed(AskedChecks.this);
        }
      }
    }

    boolean isAwaited() {
      return ticket != Admission.SETTLED;
    }

    long ticket() {
      return ticket;
    }

    /** The decoded message. */
    AskedCheck asked() {
      return asked;
    }

    CheckOutcome outcome() {
      return outcome;
    }

    GrpcCall call() {
      return call;
    }
  }

  AskedChecks(CheckRateLimits method) {
    this.method = method;
  }

  /** Begins with a call. */
  void begin(GrpcCall of) {
    call = of;
    count = 0;
    askedCount = 0;
    awaited = 0;
  }

  /** Adds a check, which is not decoded yet. */
  Check add() {
    if (count == checks.size()) {
      checks.add(new Check());
    }
    Check added = checks.get(count++);
    added.ticket = Admission.SETTLED;
    return added;
  }

  /** All checks before that one have been asked. */
  void asked(int before) {
    askedCount = before;
  }

  int askedCount() {
    return askedCount;
  }

  boolean isAsked() {
    return askedCount == count;
  }

  int awaitedCount() {
    return awaited;
  }

  /** Copies the checks that have not been asked yet, as the message's buffer is reused. */
  void keep(DirectBuffer message) {
    kept = ByteBufAllocator.DEFAULT.directBuffer(message.capacity());
    message.getBytes(0, kept.nioBuffer(0, message.capacity()), message.capacity());
    ChannelIo.view(kept.writerIndex(message.capacity()), keptView);
    for (int i = askedCount; i < count; i++) {
      checks.get(i).asked.lies(keptView);
    }
  }

  /** Drops the copy; returns its length. */
  int drop() {
    if (kept == null) {
      return 0;
    }
    int bytes = kept.readableBytes();
    kept.release();
    kept = null;
    return bytes;
  }

  /** Refuses the checks that have not been asked yet. */
  void refuseRest(GrpcStatus status, String message) {
    for (int i = askedCount; i < count; i++) {
      checks.get(i).outcome.fail(status, message);
    }
    askedCount = count;
  }

  /** Ends the batch; returns its call. */
  GrpcCall end() {
    GrpcCall ended = call;
    call = null;
    return ended;
  }

  int count() {
    return count;
  }

  Check check(int index) {
    return checks.get(index);
  }

  /** Whether all checks are asked and decided. */
  boolean isDecided() {
    return awaited == 0 && isAsked();
  }
}

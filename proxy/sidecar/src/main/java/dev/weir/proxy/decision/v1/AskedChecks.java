package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.grpc.GrpcCall;
import dev.weir.proxy.grpc.GrpcStatus;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The checks of one call, until the last of them is decided. Reused. */
final class AskedChecks {
  private final CheckRateLimits method;
  private final List<Check> checks = new ArrayList<>();
  private final UnsafeBuffer keptView = new UnsafeBuffer(0, 0);
  private GrpcCall call;

  /** The message, while some of its checks are not asked; else null. */
  private ByteBuf kept;

  private int count;
  private int askedCount;
  private int awaited;

  /** One of them. */
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
     * The check is decided.
     *
     * @param atNs what the verdict's times count from, in the loop's time.
     */
    void settled(Verdict verdict, long atNs) {
      outcome.set(verdict, isRuleWanted, method.isOver(call), atNs);
    }

    @Override
    public void decided(long ofTicket, Verdict verdict) {
      ticket = Admission.SETTLED;
      settled(verdict, method.nowNs());
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

  /** Begins with a call, of whose checks none is known. */
  void begin(GrpcCall of) {
    call = of;
    count = 0;
    askedCount = 0;
    awaited = 0;
  }

  /** One more check, which is not decoded yet. */
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

  /** Keeps what checks that are not asked yet say: the message is somebody else's memory. */
  void keep(DirectBuffer message) {
    kept = ByteBufAllocator.DEFAULT.directBuffer(message.capacity());
    message.getBytes(0, kept.nioBuffer(0, message.capacity()), message.capacity());
    ChannelIo.view(kept.writerIndex(message.capacity()), keptView);
    for (int i = askedCount; i < count; i++) {
      checks.get(i).asked.lies(keptView);
    }
  }

  /** Keeps nothing any more; returns how many bytes it was. */
  int drop() {
    if (kept == null) {
      return 0;
    }
    int bytes = kept.readableBytes();
    kept.release();
    kept = null;
    return bytes;
  }

  /** None of those that are not asked yet will be. */
  void refuseRest(GrpcStatus status, String message) {
    for (int i = askedCount; i < count; i++) {
      checks.get(i).outcome.fail(status, message);
    }
    askedCount = count;
  }

  /** Forgets whose they are, and says it. */
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

  /** Whether all are asked, and none is awaited. */
  boolean isDecided() {
    return awaited == 0 && isAsked();
  }
}

package dev.weir.proxy.decision;

import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asker;
import dev.weir.proxy.request.Verdict;
import java.util.ArrayList;
import java.util.List;

/** The checks of one call, until the last of them is decided. Reused. */
final class AskedChecks {
  private final CheckRateLimits method;
  private final List<Check> checks = new ArrayList<>();
  private GrpcCall call;
  private int count;
  private int awaited;

  /** One of them. */
  final class Check implements Asker {
    private final CheckOutcome outcome = new CheckOutcome();
    private long ticket = Admission.SETTLED;
    private boolean isRuleWanted;

    /** It is about to be asked. */
    Check asking(boolean wantsRule) {
      isRuleWanted = wantsRule;
      return this;
    }

    void awaits(long atTicket) {
      ticket = atTicket;
      awaited++;
    }

    void settled(Verdict verdict) {
      outcome.set(verdict, isRuleWanted, method.isOver(call), method.nowNs());
    }

    @Override
    public void decided(long ofTicket, Verdict verdict) {
      ticket = Admission.SETTLED;
      settled(verdict);
      if (--awaited == 0) {
        method.answer(AskedChecks.this);
      }
    }

    boolean isAwaited() {
      return ticket != Admission.SETTLED;
    }

    long ticket() {
      return ticket;
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

  void begin(GrpcCall of, int checkCount) {
    call = of;
    count = checkCount;
    awaited = 0;
    while (checks.size() < checkCount) {
      checks.add(new Check());
    }
    for (int i = 0; i < checkCount; i++) {
      checks.get(i).ticket = Admission.SETTLED;
    }
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

  boolean isDecided() {
    return awaited == 0;
  }
}

package dev.weir.proxy.envoy.call;

import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.spec.RuleSpec;

/**
 * The descriptors of a call that are charged together, all or none: one question, whose verdict has
 * the figures of each. Reused.
 */
final class TakenTogether implements VerdictListener {
  private final RateLimitVerdict call;
  private final DescriptorStatus[] members = new DescriptorStatus[RuleSpec.MAX_BUDGETS];
  private int count;
  private boolean areTooMany;
  private int kept;

  TakenTogether(RateLimitVerdict call) {
    this.call = call;
  }

  void clear() {
    count = 0;
    areTooMany = false;
    kept = Admission.NOTHING_KEPT;
  }

  /** Adds a descriptor; false if one question cannot have so many, and then there is none. */
  boolean add(DescriptorStatus descriptor) {
    if (count == members.length) {
      areTooMany = true;
      return false;
    }
    members[count++] = descriptor;
    return true;
  }

  int count() {
    return count;
  }

  DescriptorStatus member(int index) {
    return members[index];
  }

  /** Whether one question can have all of them: few enough, and each with a budget of its own. */
  boolean areOneQuestion() {
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < i; j++) {
        if (members[i].hash() == members[j].hash()) {
          return false;
        }
      }
    }
    return count > 1 && !areTooMany;
  }

  /** Passes the verdict's figures to each of them. */
  void note(Verdict verdict) {
    boolean isAnyRefused = false;
    for (int i = 0; i < count; i++) {
      Verdict.Row row = verdict.row(i);
      if (row == null) {
        call.fail(RateLimitVerdict.Fault.STORE); // it was granted, and a look was not
        return;
      }
      members[i].note(row);
      isAnyRefused |= !row.allowed();
    }
    if (!verdict.allowed() && !isAnyRefused) {
      members[0].refused(); // what was in the way is gone by now
    }
  }

  /** Keeps their charge, as it may have to be returned. */
  void keep(int named) {
    kept = named;
  }

  /** Returns the kept charge, or lets it stand. */
  void settle(AdmissionHandler admission, boolean goesBack) {
    if (kept == Admission.NOTHING_KEPT) {
      return;
    }
    if (goesBack) {
      admission.refund(kept);
      for (int i = 0; i < count; i++) {
        members[i].givenBack();
      }
    } else {
      admission.letStand(kept);
    }
  }

  @Override
  public void decided(long ticket, Verdict verdict) {
    call.limiter().decidedTogether(call, verdict);
  }
}

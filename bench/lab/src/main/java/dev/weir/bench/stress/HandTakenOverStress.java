package dev.weir.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A late lease meets another key that takes the idle hand over: the hand is one of the two. */
@JCStressTest
@Outcome(
    id = "true, false",
    expect = ACCEPTABLE,
    desc = "The lease came first, and the hand stays.")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "The hand was another by then.")
@Outcome(id = "false, false", expect = ACCEPTABLE, desc = "Each saw the other.")
@Outcome(expect = FORBIDDEN, desc = "The units of one key in the hand of another.")
@State
public class HandTakenOverStress {
  private final StressHands stress = StressHands.take();
  private final long laterNs = stress.nowNs() + 10 * StressTable.SECOND;

  public HandTakenOverStress() {
    // The hand is idle.
  }

  @Actor
  public void lease(ZZ_Result r) {
    r.r1 = stress.hands.reserve(stress.hand, stress.key()) >= 0;
  }

  @Actor
  public void claim(ZZ_Result r) {
    r.r2 = stress.hands.claim(stress.otherKey(), laterNs) >= 0;
  }

  @Arbiter
  public void after(ZZ_Result r) {
    for (int place = 0; r.r1 && place < 2; place++) {
      stress.hands.free(stress.hand, place);
    }
    stress.giveBack();
  }
}

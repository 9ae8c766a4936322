package dev.weir.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** Two event loops are refused at once: the key is spaced once, not twice as long. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "Both tell the same.")
@Outcome(expect = FORBIDDEN, desc = "Not spaced, or doubled by what one moment has shown.")
@State
public class SpacingStress {
  private final StressHands stress = StressHands.take();

  public SpacingStress() {
    stress.arrive(1);
  }

  private void refused() {
    long nowNs = stress.nowNs();
    stress.leasing().decided(stress.hand, StressHands.TERMS, true, nowNs, 0, nowNs);
  }

  @Actor
  public void first() {
    refused();
  }

  @Actor
  public void second() {
    refused();
  }

  @Arbiter
  public void after(J_Result r) {
    final long spacedNs = stress.leasing().spacedUntilNs(stress.hand) - stress.nowNs();
    r.r1 = (spacedNs + StressHands.SPACING_NS / 2) / StressHands.SPACING_NS;
    stress.giveBack();
  }
}

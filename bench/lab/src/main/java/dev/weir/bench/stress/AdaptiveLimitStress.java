package dev.weir.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weir.algorithms.adaptive.AdaptiveLimit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Event loops that meet at one number of requests in flight. */
public final class AdaptiveLimitStress {
  private static final long MS = 1_000_000;
  private static final int MIN = 10;

  private AdaptiveLimitStress() {}

  /** A limit, one sample before the end of its first window. */
  abstract static class StateLimit {
    final AdaptiveLimit limit = new AdaptiveLimit(MIN, 1_000);

    StateLimit() {
      window(9, 1_000);
    }

    final void window(int samples, long fromMs) {
      for (int i = 0; i < samples; i++) {
        limit.answered(20 * MS, 1_000, (fromMs + i) * MS);
      }
    }

    final void last() {
      limit.answered(20 * MS, 1_000, 2_000 * MS);
    }
  }

  /** Two ends of requests that meet end one window, and the next window can be ended. */
  @JCStressTest
  @Outcome(id = "15, 22", expect = ACCEPTABLE, desc = "One sample ended it; the other may be lost.")
  @Outcome(expect = FORBIDDEN, desc = "The window ended twice or never, or no sample is taken.")
  @State
  public static class WindowEnd extends StateLimit {
    @Actor
    public void first() {
      last();
    }

    @Actor
    public void second() {
      last();
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = limit.limit();
      window(10, 3_000);
      limit.answered(20 * MS, 1_000, 4_000 * MS);
      r.r2 = limit.limit();
    }
  }

  /** Who reads the limit while a window ends reads the one before or the new one. */
  @JCStressTest
  @Outcome(id = "10", expect = ACCEPTABLE, desc = "Before.")
  @Outcome(id = "15", expect = ACCEPTABLE, desc = "After.")
  @Outcome(expect = FORBIDDEN, desc = "Neither.")
  @State
  public static class Reader extends StateLimit {
    @Actor
    public void ends() {
      last();
    }

    @Actor
    public void reads(I_Result r) {
      r.r1 = limit.limit();
    }
  }
}

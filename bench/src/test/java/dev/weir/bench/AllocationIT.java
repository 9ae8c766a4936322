package dev.weir.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs {@link LocalCheckBench} long enough to see what it allocates, not how fast it is. */
class AllocationIT {
  @Test
  void aCheckAllocatesNothing() throws RunnerException {
    final Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .include(LocalCheckBench.class.getName())
                    .forks(1)
                    .warmupIterations(1)
                    .warmupTime(TimeValue.milliseconds(500))
                    .measurementIterations(1)
                    .measurementTime(TimeValue.milliseconds(500))
                    .addProfiler(GCProfiler.class)
                    .build())
            .run();
    assertEquals(12, results.size());
    for (RunResult result : results) {
      final double bytes = result.getSecondaryResults().get("gc.alloc.rate.norm").getScore();
      assertTrue(
          bytes < 0.5, result.getParams().getBenchmark() + ": " + bytes + " B/op (expected: 0)");
    }
  }
}

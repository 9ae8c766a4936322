package dev.weir.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.check.Algorithm;
import dev.weir.bench.check.AlgorithmBench;
import dev.weir.bench.check.FloorBench;
import dev.weir.bench.check.MixedBench;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs the benches long enough to see what they allocate, not how fast they are: all in this JVM,
 * since to start one for each took longer than to run them.
 */
class AllocationIT {
  private static final int ALGORITHMS = Algorithm.values().length;

  @Test
  void aCheckAllocatesNothing() throws RunnerException {
    final ChainedOptionsBuilder checks =
        new OptionsBuilder()
            .include(AlgorithmBench.class.getName() + ".(allowed|refused)$")
            .include(FloorBench.class.getName() + ".hashAndCas$")
            .include(MixedBench.class.getName())
            .param("keys", "1000")
            .param("order", "UNIFORM");
    assertEquals(List.of(), allocating(checks, 2 * ALGORITHMS + 2));
  }

  /**
   * The rows that allocate half a byte per operation or more. On a machine that pauses JMH's own
   * objects weigh on a few hundred operations, so what seems to allocate is measured for longer.
   */
  private static List<String> allocating(ChainedOptionsBuilder options, int rows)
      throws RunnerException {
    final List<String> seeming = allocating(options, rows, 100);
    return seeming.isEmpty() ? seeming : allocating(options, rows, 1_000);
  }

  private static List<String> allocating(ChainedOptionsBuilder options, int rows, int ms)
      throws RunnerException {
    final Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .parent(options.build())
                    .forks(0)
                    .warmupIterations(1)
                    .warmupTime(TimeValue.milliseconds(ms))
                    .measurementIterations(3)
                    .measurementTime(TimeValue.milliseconds(ms))
                    .shouldFailOnError(true)
                    .addProfiler(GCProfiler.class)
                    .build())
            .run();
    final List<String> allocating = new ArrayList<>();
    for (RunResult result : results) {
      // The least of the iterations: in a busy moment JMH's own objects weigh on few operations.
      final double bytes =
          result.getSecondaryResults().get("gc.alloc.rate.norm").getStatistics().getMin();
      if (!(bytes < 0.5)) {
        allocating.add(result.getParams().id() + ": " + bytes + " B/op (expected: 0)");
      }
    }
    assertTrue(results.size() == rows, results.size() + " rows (expected: " + rows + ")");
    return allocating;
  }
}

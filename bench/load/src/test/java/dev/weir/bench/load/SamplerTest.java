package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.load.LoadSink.Failure;
import dev.weir.bench.load.LoopRecorder.Time;
import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.report.RunResult.Slice;
import dev.weir.bench.scenario.Scenario.Load;
import dev.weir.bench.scenario.Schedule;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SamplerTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long MILLI_NS = 1_000_000;

  private final long nowNs = System.nanoTime();
  private final LoopRecorder one = new LoopRecorder(nowNs - SECOND_NS);
  private final LoopRecorder other = new LoopRecorder(nowNs - SECOND_NS);

  /** Of a run of half a second that began a second ago. */
  private Sampler sampler(Schedule schedule) {
    return new Sampler(
        List.of(one, other),
        new RunTimes(nowNs - SECOND_NS, 0, SECOND_NS / 2),
        new Load(schedule, SECOND_NS / 2, 0));
  }

  private static void answer(LoopRecorder recorder, long dueNs, int count, int status) {
    for (int i = 0; i < count; i++) {
      recorder.started(dueNs, dueNs, dueNs + 1);
      recorder.answered(status, -1, dueNs, dueNs + 1, dueNs + 1_000);
    }
  }

  @Test
  void slicesAndHistogramsAddUpToWhatWasRecorded() {
    final Sampler sampler = sampler(Schedule.constant(100, SECOND_NS / 2));
    final SplittableRandom random = new SplittableRandom(5);
    final long[] all = new long[3];
    for (int slice = 0; slice < 7; slice++) {
      final int passed = random.nextInt(20);
      final int refused = random.nextInt(20);
      answer(one, nowNs, passed, 200);
      answer(other, nowNs, refused, 429);
      other.failed(Failure.CLOSED, nowNs, nowNs, nowNs);
      all[0] += passed;
      all[1] += refused;
      all[2]++;
      final Slice taken = sampler.take(nowNs + MILLI_NS * sampler.slices().size()).slice();
      assertEquals(passed, taken.passed());
      assertEquals(refused, taken.refused());
      assertEquals(1, taken.failed());
      assertEquals(passed + refused, taken.sent());
    }
    assertEquals(all[0], sampler.slices().stream().mapToLong(Slice::passed).sum());
    assertEquals(all[1], sampler.slices().stream().mapToLong(Slice::refused).sum());
    assertEquals(all[2], sampler.slices().stream().mapToLong(Slice::failed).sum());
    assertEquals(all[0] + all[1], total(sampler, Time.CORRECTED));
    assertEquals(all[1], total(sampler, Time.REFUSED));
    assertEquals(50, sampler.slices().stream().mapToLong(Slice::due).sum(), "all, and no more");
  }

  private static long total(Sampler sampler, Time time) {
    return new LatencySeries("", "", sampler.histograms(time)).total().getTotalCount();
  }

  @Test
  void slicesFollowEachOtherWithoutGaps() {
    final Sampler sampler = sampler(Schedule.constant(100, SECOND_NS / 2));
    for (int i = 0; i < 5; i++) {
      sampler.take(nowNs + MILLI_NS * sampler.slices().size());
    }
    long endMs = 0;
    for (Slice slice : sampler.slices()) {
      assertEquals(endMs, slice.startMs());
      assertTrue(slice.endMs() > slice.startMs());
      endMs = slice.endMs();
    }
    assertTrue(endMs >= 1_000, "it began a second ago");
  }

  @Test
  void whatSetsNoRateIsDueAsItWasSent() {
    final Sampler sampler = sampler(null);
    answer(one, nowNs, 7, 200);
    assertEquals(7, sampler.take(nowNs + MILLI_NS * sampler.slices().size()).slice().due());
  }

  @Test
  void thePercentileIsThatOfTheSlice() {
    final Sampler sampler = sampler(null);
    assertEquals(0, sampler.take(nowNs + MILLI_NS * sampler.slices().size()).p99Ns());
    answer(one, nowNs, 5, 200);
    assertEquals(1_000, sampler.take(nowNs + MILLI_NS * sampler.slices().size()).p99Ns());
    assertEquals(0, sampler.take(nowNs + MILLI_NS * sampler.slices().size()).p99Ns());
  }
}

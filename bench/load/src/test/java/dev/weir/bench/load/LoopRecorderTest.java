package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.load.LoadSink.Failure;
import dev.weir.bench.load.LoopRecorder.Count;
import dev.weir.bench.load.LoopRecorder.Time;
import dev.weir.bench.report.LatencySeries;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LoopRecorderTest {
  private static final long FROM_NS = 1_000;

  private final LoopRecorder recorder = new LoopRecorder(FROM_NS);

  private void assertCounts(long sent, long passed, long refused, long failed) {
    assertEquals(sent, recorder.count(Count.SENT), "sent");
    assertEquals(passed, recorder.count(Count.PASSED), "passed");
    assertEquals(refused, recorder.count(Count.REFUSED), "refused");
    assertEquals(failed, recorder.count(Count.FAILED), "failed");
  }

  private Histogram drained(Time time) {
    final Histogram drained = LatencySeries.emptyHistogram();
    recorder.drain(time, drained);
    return drained;
  }

  private void answered(int httpStatus, int grpcStatus) {
    recorder.answered(httpStatus, grpcStatus, FROM_NS, FROM_NS + 20, FROM_NS + 50);
  }

  @Test
  void whatSaysThatALimitIsReachedIsRefused() {
    answered(429, -1);
    answered(200, 8);
    assertCounts(0, 0, 2, 0);
    assertEquals(2, drained(Time.REFUSED).getTotalCount());
    assertEquals(50, drained(Time.CORRECTED).getMaxValue());
  }

  @Test
  void errorsOfTheServerFail() {
    answered(500, -1);
    answered(599, -1);
    answered(200, 14);
    answered(200, 1);
    answered(503, 14);
    assertCounts(0, 0, 0, 5);
    assertEquals(5, drained(Time.CORRECTED).getTotalCount());
    assertEquals(0, drained(Time.REFUSED).getTotalCount());
  }

  @Test
  void everythingElsePasses() {
    answered(200, -1);
    answered(200, 0);
    answered(301, -1);
    answered(404, -1);
    assertCounts(0, 4, 0, 0);
  }

  @Test
  void statusesAreCountedEachByTheirOwn() {
    answered(200, -1);
    answered(200, 0);
    answered(200, 16);
    answered(200, 99);
    answered(599, -1);
    assertEquals(1, recorder.httpAnswers(200));
    assertEquals(1, recorder.httpAnswers(599));
    assertEquals(1, recorder.grpcAnswers(0));
    assertEquals(2, recorder.grpcAnswers(16));
  }

  @Test
  void latenciesAreFromWhenItWasDueAndFromWhenItWasStarted() {
    answered(200, -1);
    assertEquals(50, drained(Time.CORRECTED).getMaxValue());
    assertEquals(30, drained(Time.UNCORRECTED).getMaxValue());
  }

  @Test
  void whatTimedOutTookAtLeastSoLong() {
    recorder.failed(Failure.TIMEOUT, FROM_NS, FROM_NS + 20, FROM_NS + 50);
    assertCounts(0, 0, 0, 1);
    assertEquals(1, recorder.failures(Failure.TIMEOUT));
    assertEquals(50, drained(Time.CORRECTED).getMaxValue());
    assertEquals(30, drained(Time.UNCORRECTED).getMaxValue());
  }

  @Test
  void whatWasNeverStartedWaitedButTookNoTimeOfTheServers() {
    recorder.failed(Failure.NOT_STARTED, FROM_NS, FROM_NS, FROM_NS + 50);
    assertCounts(0, 0, 0, 1);
    assertEquals(50, drained(Time.CORRECTED).getMaxValue());
    assertEquals(0, drained(Time.UNCORRECTED).getTotalCount());
  }

  @Test
  void aBrokenConnectionSaysNothingAboutLatency() {
    recorder.failed(Failure.CLOSED, FROM_NS, FROM_NS, FROM_NS + 50);
    recorder.failed(Failure.MALFORMED, FROM_NS, FROM_NS, FROM_NS + 50);
    recorder.failed(Failure.RESET, FROM_NS, FROM_NS, FROM_NS + 50);
    assertCounts(0, 0, 0, 3);
    assertEquals(0, drained(Time.CORRECTED).getTotalCount());
  }

  @Test
  void whatWasDueInTheWarmUpIsLeftOutWheneverItEnds() {
    recorder.started(FROM_NS - 1, FROM_NS - 1, FROM_NS + 10);
    recorder.answered(200, -1, FROM_NS - 1, FROM_NS, FROM_NS + 50);
    recorder.failed(Failure.TIMEOUT, FROM_NS - 1, FROM_NS, FROM_NS + 50);
    assertCounts(0, 0, 0, 0);
    for (Time time : Time.values()) {
      assertEquals(0, drained(time).getTotalCount());
    }
  }

  @Test
  void theHarnessIsLateFromWhenItCouldHaveStarted() {
    recorder.started(FROM_NS, FROM_NS + 100, FROM_NS + 107);
    assertCounts(1, 0, 0, 0);
    assertEquals(7, drained(Time.LATE).getMaxValue());
  }

  @Test
  void timesBeyondAnHourCountAsOne() {
    recorder.answered(200, -1, FROM_NS, FROM_NS, Long.MAX_VALUE);
    assertEquals(LoopRecorder.MOST_NS, drained(Time.CORRECTED).getMaxValue(), 1e10);
  }

  @Test
  void drainsEachOnce() {
    answered(200, -1);
    assertEquals(1, drained(Time.CORRECTED).getTotalCount());
    assertEquals(0, drained(Time.CORRECTED).getTotalCount());
    answered(200, -1);
    assertEquals(1, drained(Time.CORRECTED).getTotalCount());
  }
}

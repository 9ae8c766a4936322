package dev.weir.bench.load;

import dev.weir.bench.load.LoopRecorder.Count;
import dev.weir.bench.report.FigureText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** The doubts about a run that a reader must know before its figures are believed. */
record RunWarnings(RunFigures figures) {
  /** A harness that is later than this, or than this part of the latencies, spoils them. */
  private static final double LATE_NS = 1_000_000;

  private static final double LATE_PART = 0.2;
  private static final double LATE_LEAST_NS = 100_000;

  /** How far the rate may be off before it is said. */
  private static final double RATE_ERROR = 0.01;

  private static final int CLIENT_ERROR = 400;

  /**
   * A sentence or two for each.
   *
   * @param late how late the harness started requests.
   */
  List<String> warnings(Histogram latencies, Histogram late) {
    final List<String> warnings = new ArrayList<>();
    if (figures.times().stoppedEarly()) {
      warnings.add(
          String.format(
              Locale.ROOT, "Stopped early, after %.1f s of measuring.", figures.seconds()));
    }
    if (figures.unanswered() > 0) {
      warnings.add(
          RunFigures.number(figures.unanswered())
              + " requests had no answer yet when it ended; they are not among the latencies.");
    }
    if (figures.missing() > 0) {
      warnings.add(
          RunFigures.number(figures.missing()) + " connections were not there when it began.");
    }
    final long faulty = clientErrors();
    if (faulty > 0) {
      warnings.add(
          RunFigures.number(faulty)
              + " answers were 4xx, but not 429: they count as passed, if they should.");
    }
    if (figures.ended() == 0) {
      warnings.add("Nothing was answered, nothing failed: there is nothing to see here.");
    }
    if (!figures.scenario().load().open()) {
      warnings.add(
          "A closed loop: whoever waits asks nothing, so stalls are left out of its latencies."
              + " Only its throughput says something.");
      return warnings;
    }
    final double lateNs = late.getValueAtPercentile(99);
    if (lateNs > LATE_NS
        || lateNs > Math.max(LATE_LEAST_NS, LATE_PART * latencies.getValueAtPercentile(99))) {
      warnings.add(
          "The harness itself was late: it started requests up to "
              + FigureText.time((long) lateNs)
              + " (p99) after it could have. The latencies are partly its own;"
              + " it needs a lower rate or more cores.");
    }
    final double sent = figures.count(Count.SENT);
    if (figures.due() - sent > Math.max(1, RATE_ERROR * figures.due())) {
      warnings.add(
          String.format(
              Locale.ROOT,
              "%s of %s requests that were due could be started (%.1f %%): the target did not take"
                  + " more.",
              RunFigures.number((long) sent),
              RunFigures.number(Math.round(figures.due())),
              100 * sent / figures.due()));
    }
    return warnings;
  }

  private long clientErrors() {
    long sum = 0;
    for (int i = CLIENT_ERROR; i < LoopRecorder.SERVER_ERROR; i++) {
      final int status = i;
      sum +=
          status == LoopRecorder.TOO_MANY_REQUESTS
              ? 0
              : figures.sum(recorder -> recorder.httpAnswers(status));
    }
    return sum;
  }
}

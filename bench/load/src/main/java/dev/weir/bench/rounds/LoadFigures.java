package dev.weir.bench.rounds;

import dev.weir.bench.load.LocalLoad;
import dev.weir.bench.load.LocalLoad.LoadAnswers;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.ProcessorTime;
import dev.weir.bench.process.ProcessorTime.Spending;
import java.io.IOException;
import java.util.function.ToDoubleFunction;

/**
 * The figures of one server under a load, in one round.
 *
 * @param count of requests answered; without one the other figures say nothing.
 * @param perSecond requests answered.
 * @param requestUs processor time of the server's processes per request answered.
 * @param corePercent of the server's core, taken by the server; NaN where it has no core.
 * @param othersPercent of the server's core, taken by others meanwhile; NaN where it has no core.
 * @param p50Ms of latencies; of an open loop from when requests were due, as the next two.
 * @param sentP99Ms from when requests were sent.
 * @param wrongPercent of all requests, that failed or were answered otherwise than was meant.
 */
public record LoadFigures(
    long count,
    double perSecond,
    double requestUs,
    double corePercent,
    double othersPercent,
    double residentMib,
    double p50Ms,
    double p99Ms,
    double p999Ms,
    double sentP99Ms,
    double wrongPercent) {
  private static final double NS_PER_MS = 1e6;

  /**
   * Loads a server, and looks at what its processes spend meanwhile.
   *
   * @param wrongShare of the answers, from 0 to 1.
   * @param pids of the server, on the servers' core.
   * @throws IOException if the server cannot be reached.
   */
  public static LoadFigures measure(
      LocalLoad load,
      int port,
      double seconds,
      ToDoubleFunction<LoadAnswers> wrongShare,
      Cores cores,
      Long... pids)
      throws IOException, InterruptedException {
    final Spending spending = new Spending(cores, pids);
    final LoadAnswers answers = load.run(port, seconds);
    final Spending.Spent spent = spending.end();
    double residentMib = 0;
    for (long pid : pids) {
      residentMib += ProcessorTime.residentMib(pid);
    }
    return new LoadFigures(
        answers.count(),
        answers.count() / answers.seconds(),
        spent.spentUs() / answers.count(),
        spent.corePercent(answers.seconds()),
        spent.othersPercent(),
        residentMib,
        answers.latencies().getValueAtPercentile(50) / NS_PER_MS,
        answers.latencies().getValueAtPercentile(99) / NS_PER_MS,
        answers.latencies().getValueAtPercentile(99.9) / NS_PER_MS,
        answers.sentLatencies().getValueAtPercentile(99) / NS_PER_MS,
        100 * wrongShare.applyAsDouble(answers));
  }
}

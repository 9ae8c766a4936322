package dev.weir.bench.compare;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.report.Machine;
import dev.weir.bench.rounds.RoundOptions;
import dev.weir.bench.rounds.Rounds;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir bench cold}: starts servers again and again, measures, prints the report. */
@Command(
    name = "cold",
    description = "What do the first clients of a sidecar get, beside those of other proxies?",
    footer = {
      "",
      "Prints the report; progress goes to standard error. Starts all servers itself, on 127.0.0.1, on",
      "a core of their own where there are two and taskset; Weir by its launcher, so WEIR_JAVA_HOME and",
      "WEIR_JAVA_OPTS count. A round takes about a minute."
    })
public final class ColdCommand implements Callable<Integer> {
  private static final double LOAD_WARM_UP_SECONDS = 8;

  @Mixin private RoundOptions report;

  @Mixin private Contenders contenders;

  @Override
  public Integer call() throws IOException, InterruptedException {
    report.check();
    final List<Contender> chosen = contenders.checked(report);
    final Cores cores = Cores.find();
    cores.pinClient();
    final ColdReport text = new ColdReport(report.command());
    text.fact(cores.text("Server", "load and upstream"));
    text.fact("The load's JDK " + Machine.jdk());
    final double loadBefore = Machine.loadAverage();
    final ColdBench bench =
        new ColdBench(chosen, new Rounds(report.rounds(), 1, 0, cores, report::progress));
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-upstream");
        Upstream upstream = Upstream.start(folder.path(), cores)) {
      final Shape most = ColdBench.SHAPES.get(ColdBench.SHAPES.size() - 1);
      text.fact(
          "The service is %s; load and service alone make %.0f requests/s at %s at once",
          upstream.text,
          upstream.perSecond(Wire.HTTP1, most, 1, LOAD_WARM_UP_SECONDS),
          most.text(Wire.HTTP1.protocol));
      bench.run(upstream);
    }
    text.fact(
        "Median (least..most) of %d starts of each; load average %.1f before and %.1f after",
        report.rounds(), loadBefore, Machine.loadAverage());
    text.starts(bench);
    report.print(text.markdown());
    return 0;
  }
}

package dev.weir.bench.decision;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.Programs;
import dev.weir.bench.report.Machine;
import dev.weir.bench.rounds.RoundOptions;
import dev.weir.bench.rounds.RoundTimes;
import dev.weir.proxy.loop.TransportKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir bench decisions}: starts servers of calls, measures, prints the report. */
@Command(
    name = "decisions",
    description = "What does a call of the decision API cost, beside an echo, and the store?",
    footer = {
      "",
      "Prints the report; progress goes to standard error. Starts all servers itself, on 127.0.0.1, on",
      "a core of their own where there are two and taskset; Weir by its launcher, so WEIR_JAVA_HOME and",
      "WEIR_JAVA_OPTS count. The defaults take about eight minutes."
    })
public final class DecisionsCommand implements Callable<Integer> {
  private static final String CALLS = "calls";
  private static final String STORE = "store";
  private static final String HTTP = "http";
  private static final List<String> PARTS = List.of(CALLS, STORE, HTTP);
  private static final List<CallServer> SERVERS =
      List.of(
          new GrpcJavaEcho(),
          new EngineEcho(TransportKind.IO_URING),
          new EngineEcho(TransportKind.EPOLL),
          new WeirServer(TransportKind.IO_URING, null),
          new WeirServer(TransportKind.EPOLL, null));

  @Mixin private RoundOptions report;
  @Mixin private final RoundTimes times = new RoundTimes(1.5, "12s");

  @Option(
      names = "--parts",
      paramLabel = "PART",
      split = ",",
      defaultValue = "calls,store,http",
      description = "Calls that the sidecar decides, or a store; checks by HTTP (default: all).")
  private List<String> parts;

  @Option(
      names = "--calls",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "CheckRateLimit,CheckRateLimits,ShouldRateLimit",
      description = "What is called (default: ${DEFAULT-VALUE}).")
  private List<String> calls;

  @Option(
      names = "--servers",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "grpc-java,echo-io_uring,echo-epoll,weir-io_uring,weir-epoll",
      description = "Who is called (default: ${DEFAULT-VALUE}).")
  private List<String> servers;

  @Override
  public Integer call() throws IOException, InterruptedException {
    check();
    final Cores cores = Cores.find();
    cores.pinClient();
    final DecisionReport text = new DecisionReport(command());
    text.fact(cores.text("Server", "load"));
    text.fact("The load's JDK " + Machine.jdk());
    text.fact(
        "Medians of %d rounds of %s s, after a warm-up of %s of each server and call",
        report.rounds(), times.seconds(), times.warmUp());
    if (parts.contains(CALLS)) {
      final CallBench bench =
          new CallBench(
              SERVERS.stream().filter(server -> servers.contains(server.name())).toList(),
              CallBench.USUAL_BUDGETS,
              report.rounds(),
              times.seconds(),
              times.warmUpSeconds(),
              cores,
              report::progress);
      bench.run(Stream.of(Ask.values()).filter(ask -> calls.contains(ask.toString())).toList());
      text.calls(bench);
    }
    if (parts.contains(STORE)) {
      store(text, cores);
    }
    if (parts.contains(HTTP)) {
      checks(text, cores);
    }
    report.print(text.markdown());
    return 0;
  }

  private void store(DecisionReport text, Cores cores) throws IOException, InterruptedException {
    final Optional<Path> redis = Programs.find("redis-server");
    if (redis.isEmpty()) {
      text.leftOut("calls that Redis decides: redis-server is not installed");
      return;
    }
    text.store(
        new StoreCallBench(
                StoreCallBench.USUAL_KEYS,
                report.rounds(),
                times.seconds(),
                times.warmUpSeconds(),
                cores,
                report::progress)
            .run(redis.get()));
  }

  private void checks(DecisionReport text, Cores cores) throws IOException, InterruptedException {
    final Optional<Path> nginx = Programs.find("nginx");
    if (nginx.isEmpty()) {
      text.leftOut("checks by HTTP: nginx is not installed");
      return;
    }
    text.checks(
        new HttpCheckBench(
                report.rounds(), times.seconds(), times.warmUpSeconds(), cores, report::progress)
            .run(nginx.get()));
  }

  private void check() {
    report.check();
    report.expectEach("--parts", parts, PARTS);
    report.expectEach("--calls", calls, Stream.of(Ask.values()).map(Ask::toString).toList());
    report.expectEach("--servers", servers, SERVERS.stream().map(CallServer::name).toList());
    times.check(report);
  }

  /** The command line that makes the report again. */
  private String command() {
    return "./weir bench decisions --parts "
        + String.join(",", parts)
        + " --calls "
        + String.join(",", calls)
        + " --servers "
        + String.join(",", servers)
        + times.command()
        + report.command();
  }
}

package dev.weir.bench.decision;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.Programs;
import dev.weir.bench.report.Machine;
import dev.weir.bench.rounds.RoundTimes;
import dev.weir.bench.rounds.Rounds;
import dev.weir.proxy.loop.TransportKind;
import java.io.IOException;
import java.util.List;
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
  private static final List<CallServer> SERVERS =
      List.of(
          new GrpcJavaEcho(),
          new EngineEcho(TransportKind.IO_URING),
          new EngineEcho(TransportKind.EPOLL),
          new WeirServer(TransportKind.IO_URING, null),
          new WeirServer(TransportKind.EPOLL, null));

  @Mixin private final RoundTimes report = new RoundTimes(1.5, "12s");

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
    report.check();
    report.expectEach("--parts", parts, List.of(CALLS, STORE, HTTP));
    report.expectEach("--calls", calls, Stream.of(Ask.values()).map(Ask::toString).toList());
    report.expectEach("--servers", servers, SERVERS.stream().map(CallServer::name).toList());
    final Rounds rounds = report.rounds(Cores.find());
    rounds.cores().pinClient();
    final DecisionReport text = new DecisionReport(report.command());
    text.fact(rounds.cores().text("Server", "load"));
    text.fact("The load's JDK " + Machine.jdk());
    text.fact(report.text("call"));
    if (parts.contains(CALLS)) {
      final CallBench bench =
          new CallBench(
              SERVERS.stream().filter(server -> servers.contains(server.name())).toList(),
              CallBench.USUAL_BUDGETS,
              rounds);
      bench.run(Stream.of(Ask.values()).filter(ask -> calls.contains(ask.toString())).toList());
      text.calls(bench);
    }
    if (parts.contains(STORE) && isThere("redis-server", "calls that Redis decides", text)) {
      text.store(
          new StoreCallBench(StoreCallBench.USUAL_KEYS, rounds)
              .run(Programs.find("redis-server").orElseThrow()));
    }
    if (parts.contains(HTTP) && isThere("nginx", "checks by HTTP", text)) {
      text.checks(new HttpCheckBench(rounds).run(Programs.find("nginx").orElseThrow()));
    }
    report.print(text.markdown());
    return 0;
  }

  private static boolean isThere(String program, String part, DecisionReport text) {
    final boolean isThere = Programs.find(program).isPresent();
    if (!isThere) {
      text.leftOut(part + ": " + program + " is not installed");
    }
    return isThere;
  }
}

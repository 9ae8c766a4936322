package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.load.LoadRun.LoadException;
import dev.weir.bench.load.LoadSink.Failure;
import dev.weir.bench.origin.Http1Sink;
import dev.weir.bench.origin.Http2Answer;
import dev.weir.bench.origin.Http2Sink;
import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.RunResult.Slice;
import dev.weir.bench.scenario.BadScenarioException;
import dev.weir.bench.scenario.Scenario;
import dev.weir.bench.scenario.ScenarioFlags;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.ResourceLeakDetector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Runs over real sockets. */
@Timeout(120)
class LoadRunIT {
  private static final Transport TRANSPORT = Transport.of(TransportKind.AUTO);
  private static final EventLoopGroup SINKS =
      new MultiThreadIoEventLoopGroup(1, TRANSPORT.handlerFactory());
  private static final long STALL_NS = 400_000_000;
  private static final long LONG_NS = 100_000_000;
  private static final long MILLI_NS = 1_000_000;

  @TempDir private Path folder;

  @Command(modelTransformer = ScenarioFlags.class)
  private static final class Flags {
    @Spec private CommandSpec spec;
  }

  @AfterAll
  static void endSinks() {
    SINKS.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private static Scenario scenario(String url, String flags) throws BadScenarioException {
    return scenario(url, flags, "0");
  }

  private static Scenario scenario(String url, String flags, String warmUp)
      throws BadScenarioException {
    final Flags command = new Flags();
    new CommandLine(command)
        .parseArgs((flags + " --warm-up " + warmUp + " " + url).trim().split(" "));
    return ScenarioFlags.scenario(command.spec);
  }

  private static RunResult run(String url, String flags) throws Exception {
    return new LoadRun(scenario(url, flags), LoadRun.Progress.SILENT).run();
  }

  /** Runs until something has come about. */
  private static RunResult runUntil(BooleanSupplier condition, Scenario scenario) throws Exception {
    final LoadRun run = new LoadRun(scenario, LoadRun.Progress.SILENT);
    final Thread stopping =
        new Thread(
            () -> {
              while (!condition.getAsBoolean()) {
                if (Thread.interrupted()) {
                  return;
                }
                LockSupport.parkNanos(MILLI_NS);
              }
              run.stop();
            });
    stopping.start();
    try {
      return run.run();
    } finally {
      stopping.interrupt();
      stopping.join();
    }
  }

  private static Http1Sink sink() {
    return new Http1Sink(SINKS, TRANSPORT, Http1Sink.answer("200 OK"));
  }

  private static String url(Http1Sink sink) {
    return "http://127.0.0.1:" + sink.address().getPort() + "/";
  }

  private static long sum(RunResult result, ToLongFunction<Slice> of) {
    return result.slices().stream().mapToLong(of).sum();
  }

  private static Histogram latencies(RunResult result, int series) {
    return result.latencies().get(series).total();
  }

  private static String answers(RunResult result) {
    return result.facts().get("Answers");
  }

  /** All that was due ended, one way or the other. */
  private static void assertAllEnded(long due, RunResult result) {
    assertEquals(due, sum(result, Slice::due), 1);
    assertEquals(
        sum(result, Slice::due),
        sum(result, slice -> slice.passed() + slice.refused() + slice.failed()),
        1,
        answers(result));
  }

  /** Answers all, but nobody for a while from a request on, as in a collection of garbage. */
  private static RawServer stallingAt(int request) {
    return new RawServer(
        (peer, number) -> {
          if (number == request) {
            final long untilNs = System.nanoTime() + STALL_NS;
            while (System.nanoTime() < untilNs) {
              LockSupport.parkNanos(untilNs - System.nanoTime());
            }
          }
          RawServer.send(peer, RawServer.OK);
        });
  }

  @Test
  void anOpenLoopShowsAStallToAllWhoWouldHaveWaited() throws Exception {
    try (RawServer server = stallingAt(300)) {
      final RunResult result = run(server.url(), "-r 1000 -d 2s -c 4 --event-loops 1");
      assertAllEnded(2_000, result);
      assertEquals(2_000, sum(result, Slice::passed), 1, answers(result));
      final Histogram corrected = latencies(result, 0);
      assertTrue(
          corrected.getValueAtPercentile(99) >= 300 * MILLI_NS,
          "p99: " + corrected.getValueAtPercentile(99));
      // Due in the first 300 ms of it: 300. A busy machine adds some, and takes none away.
      final long waited = corrected.getCountBetweenValues(LONG_NS, Long.MAX_VALUE / 2);
      assertTrue(waited >= 285, waited + " waited for more than 100 ms");
      assertTrue(corrected.getMinValue() < LONG_NS, "and not all of them");
      // Only those in flight waited after they had been started.
      final Histogram uncorrected = latencies(result, 1);
      final long naive = uncorrected.getCountBetweenValues(LONG_NS, Long.MAX_VALUE / 2);
      assertTrue(naive < waited / 4, naive + " of " + waited);
      assertTrue(
          uncorrected.getValueAtPercentile(99) < corrected.getValueAtPercentile(99) / 2,
          "p99: " + uncorrected.getValueAtPercentile(99));
      assertTrue(uncorrected.getMaxValue() >= 300 * MILLI_NS, "it was there");
    }
  }

  @Test
  void aClosedLoopDoesNotShowTheStallAndSaysSo() throws Exception {
    try (RawServer server = stallingAt(1_000)) {
      final RunResult result =
          runUntil(
              () -> server.requestCount() >= 10_000,
              scenario(server.url(), "--max -d 50s -c 4 --event-loops 1"));
      final Histogram closed = latencies(result, 0);
      assertTrue(closed.getMaxValue() >= 300 * MILLI_NS, "it was there");
      assertTrue(
          closed.getValueAtPercentile(99) < LONG_NS, "p99: " + closed.getValueAtPercentile(99));
      assertEquals(server.requestCount(), sum(result, Slice::passed), 4, "but those in flight");
      assertTrue(result.warnings().toString().contains("A closed loop"), result.toString());
    }
  }

  @Test
  void everyScheduleIsSentAsItWasAskedForAndCountedAsItWasAnswered() throws Exception {
    final Object[][] table = {
      {"-r 2000 -d 500ms", 1_000},
      {"-l ramp=0..4000,for=500ms", 1_000},
      {"-l steps=1000..3000,by=1000,for=450ms", 900},
      {"-l sine=0..4000,period=250ms,for=500ms", 1_000},
      {"-l burst=200,every=125ms,base=200,for=500ms", 900},
      {"-l rate=1500,for=200ms -l rate=0,for=100ms -l rate=1500,for=200ms", 600},
    };
    for (Object[] row : table) {
      try (Http1Sink sink = sink()) {
        final RunResult result = run(url(sink), row[0] + " --event-loops 2");
        final int due = (Integer) row[1];
        assertEquals(due, sum(result, Slice::sent), 1 + due / 200, (String) row[0]);
        assertAllEnded(due, result);
        assertEquals(sink.requestCount(), sum(result, Slice::passed), (String) row[0]);
        assertEquals(sink.requestCount(), latencies(result, 0).getTotalCount());
        assertEquals(sink.requestCount(), latencies(result, 1).getTotalCount());
      }
    }
  }

  @Test
  void severalTargetsGetTheirPartsOverSeveralEventLoops() throws Exception {
    try (Http1Sink most = sink();
        Http1Sink some = sink();
        Http1Sink few = sink()) {
      final Path file =
          Files.writeString(
              folder.resolve("s.yaml"),
              String.format(
                  "requests:%n- {target: '%s{key}', weight: 6}%n- {target: '%s', weight: 3}%n"
                      + "- {target: '%s', weight: 1, method: POST, body: '{key}'}%n"
                      + "headers: {k: '{key}'}%nkeys: uniform:100%n",
                  url(most), url(some), url(few)));
      final RunResult result = run("", "-s " + file + " -r 1000 -d 1s -c 7 --event-loops 3");
      assertEquals(1_000, sum(result, Slice::passed), 4, answers(result));
      assertEquals(600, most.requestCount(), 3);
      assertEquals(300, some.requestCount(), 3);
      assertEquals(100, few.requestCount(), 3);
      assertEquals(
          sum(result, Slice::passed),
          most.requestCount() + some.requestCount() + few.requestCount());
    }
  }

  @Test
  void everyProtocolIsCountedAsItWasAnswered() throws Exception {
    final byte[] empty = {};
    final Object[][] table = {
      {"--protocol h2", Http2Answer.http(200, empty)}, {"--grpc a.B/C", Http2Answer.grpc(0, empty)},
    };
    for (Object[] row : table) {
      final AtomicInteger asked = new AtomicInteger();
      final Http2Sink.Behaviour counted =
          (peer, stream) -> {
            asked.incrementAndGet();
            peer.answer(stream, (Http2Answer) row[1]);
          };
      try (Http2Sink sink = new Http2Sink(SINKS, TRANSPORT, counted)) {
        final String url = "http://127.0.0.1:" + sink.address().getPort() + "/";
        final RunResult result = run(url, row[0] + " -r 1000 -d 500ms -c 3 --streams 5");
        assertAllEnded(500, result);
        assertEquals(asked.get(), sum(result, Slice::passed), answers(result));
        assertEquals(asked.get(), sum(result, Slice::sent));
      }
    }
  }

  @Test
  void everyKeyIsAskedFor() throws Exception {
    try (RawServer server = new RawServer((peer, number) -> RawServer.send(peer, RawServer.OK))) {
      final RunResult result = run(server.url(), "-r 400 -d 500ms -k uniform:5 -H k:{key}");
      assertEquals(200, sum(result, Slice::passed), 2);
      for (int i = 0; i < 5; i++) {
        final String field = "k: key-" + i;
        final long asked = server.heads().stream().filter(head -> head.contains(field)).count();
        assertEquals(40, asked, 30, field);
      }
    }
  }

  @Test
  void whoNeverAnswersIsGivenUpAndTheRunEnds() throws Exception {
    try (RawServer server = new RawServer((peer, number) -> {})) {
      final RunResult result = run(server.url(), "-r 200 -d 500ms --timeout 200ms -c 2");
      assertAllEnded(100, result);
      assertEquals(100, sum(result, Slice::failed), 1);
      final long sent = sum(result, Slice::sent);
      // A machine that pauses in the beginning leaves none to be sent.
      assertEquals(
          sent > 0, answers(result).contains(Failure.TIMEOUT + ": " + sent), answers(result));
      final long unsent = sum(result, Slice::failed) - sent;
      assertTrue(answers(result).contains(Failure.NOT_STARTED + ": " + unsent), answers(result));
      assertEquals(100, latencies(result, 0).getTotalCount(), 1, "all of them waited");
      assertEquals(
          sum(result, Slice::sent), latencies(result, 1).getTotalCount(), "of those started");
      assertTrue(result.warnings().toString().contains("could be started"), result.toString());
    }
  }

  @Test
  void whoClosesAfterEachAnswerIsAskedAgainAtOnce() throws Exception {
    final String last = RawServer.OK.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    try (RawServer server = new RawServer((peer, number) -> RawServer.send(peer, last))) {
      final RunResult result = run(server.url(), "-r 400 -d 500ms -c 4 --event-loops 1");
      assertAllEnded(200, result);
      assertEquals(200, sum(result, Slice::passed), 1, answers(result));
    }
  }

  @Test
  void aServerThatDiesFailsWhatIsDueFromThenOn() throws Exception {
    try (RawServer server =
        new RawServer(
            (peer, number) -> {
              if (number < 100) {
                RawServer.send(peer, RawServer.OK);
              } else {
                RawServer.die(peer);
              }
            })) {
      final RunResult result = run(server.url(), "-r 400 -d 500ms --timeout 3s -c 4");
      assertAllEnded(200, result);
      assertEquals(100, sum(result, Slice::passed), answers(result));
      assertEquals(100, sum(result, Slice::failed), 1, answers(result));
    }
  }

  @Test
  void aServerThatComesBackIsAskedAgain() throws Exception {
    // Answers the first connections with an end, as one that restarts does.
    try (RawServer server =
        new RawServer(
            (peer, number) -> {
              if (number < 20) {
                peer.close();
              } else {
                RawServer.send(peer, RawServer.OK);
              }
            })) {
      final RunResult result = run(server.url(), "-r 400 -d 1s -c 4");
      assertAllEnded(400, result);
      assertEquals(20, sum(result, Slice::failed), answers(result));
      assertEquals(380, sum(result, Slice::passed), 1, answers(result));
    }
  }

  @Test
  void garbageIsNoAnswer() throws Exception {
    try (RawServer server = new RawServer((peer, number) -> RawServer.send(peer, "no\r\n\r\n"))) {
      final RunResult result = run(server.url(), "-r 40 -d 500ms -c 4");
      assertAllEnded(20, result);
      assertTrue(answers(result).contains(Failure.MALFORMED + ": 20"), answers(result));
      assertEquals(0, latencies(result, 0).getTotalCount(), "nothing is known of how long");
    }
  }

  @Test
  void refusalsAreCountedApart() throws Exception {
    final String refusal = "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n";
    try (RawServer server =
        new RawServer(
            (peer, number) -> RawServer.send(peer, number % 2 == 0 ? RawServer.OK : refusal))) {
      final RunResult result =
          run(server.url(), "-r 400 -d 500ms -t refused==50% -t errors==0 -t passed==100");
      assertAllEnded(200, result);
      assertEquals(sum(result, Slice::passed), sum(result, Slice::refused), 1);
      final LatencySeries refused = result.latencies().get(2);
      assertEquals("refused", refused.tag());
      assertEquals(sum(result, Slice::refused), refused.total().getTotalCount());
      assertTrue(result.passed(), result.checks().toString());
    }
  }

  @Test
  void answersThatMayNotBeMeantAreSaid() throws Exception {
    final String missing = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    try (RawServer server = new RawServer((peer, number) -> RawServer.send(peer, missing))) {
      final RunResult result = run(server.url(), "-r 200 -d 500ms");
      assertTrue(result.warnings().toString().contains("answers were 4xx"), result.toString());
    }
  }

  @Test
  void aRunThatIsStoppedHasWhatItHasUntilThen() throws Exception {
    try (RawServer server =
        new RawServer(
            (peer, number) -> {
              if (number < 100) {
                RawServer.send(peer, RawServer.OK);
              }
            })) {
      final RunResult result =
          runUntil(
              () -> server.requestCount() == 104,
              scenario(server.url(), "-r 400 -d 50s -c 4 --timeout 50s"));
      final String warnings = result.warnings().toString();
      assertTrue(warnings.contains("Stopped early, after "), warnings);
      assertTrue(warnings.contains("4 requests had no answer yet"), warnings);
      assertEquals(100, sum(result, Slice::passed));
      assertEquals(104, sum(result, Slice::sent));
    }
  }

  @Test
  void aRunThatIsStoppedWhileItWarmsUpHasNothing() throws Exception {
    try (Http1Sink sink = sink()) {
      final RunResult result =
          runUntil(() -> sink.requestCount() > 0, scenario(url(sink), "-r 1000 -d 60s", "30s"));
      assertEquals(0, sum(result, Slice::due));
      assertEquals(0, sum(result, Slice::sent));
      assertTrue(result.warnings().toString().contains("after 0.0 s"), result.toString());
    }
  }

  /** Over epoll: Netty's io_uring and NIO allocate 130 to 150 bytes for each by themselves. */
  @Test
  void anEventLoopAllocatesNextToNothingForARequest() throws Exception {
    final com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
    // It looks at one buffer of 128 by default: 25 bytes for each request.
    final ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    final LoadRun[] run = new LoadRun[1];
    final List<Double> perRequest = new ArrayList<>();
    final long[] bytesBefore = new long[1];
    try (Http1Sink sink = sink()) {
      run[0] =
          new LoadRun(
              scenario(url(sink), "--max -d 60s -c 16 --event-loops 1 --transport epoll"),
              (slice, p99Ns) -> {
                final long bytes = loadThreads(threads);
                if (slice.startMs() > 0 && slice.passed() > 0) {
                  perRequest.add((double) (bytes - bytesBefore[0]) / slice.passed());
                }
                bytesBefore[0] = bytes;
                // Code allocates until it is compiled, which a busy machine puts off.
                if (perRequest.stream().anyMatch(each -> each < 8)) {
                  run[0].stop();
                }
              });
      run[0].run();
    } finally {
      ResourceLeakDetector.setLevel(before);
    }
    assertTrue(perRequest.stream().anyMatch(each -> each < 8), "bytes per request: " + perRequest);
  }

  private static long loadThreads(com.sun.management.ThreadMXBean threads) {
    final long[] ids =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("weir-load"))
            .mapToLong(Thread::getId)
            .toArray();
    return Arrays.stream(threads.getThreadAllocatedBytes(ids)).sum();
  }

  @Test
  void anUnknownHostIsNamed() throws Exception {
    final LoadException fault =
        org.junit.jupiter.api.Assertions.assertThrows(
            LoadException.class, () -> run("http://no-such-host.invalid/", "-r 10 -d 1s"));
    assertEquals(
        "http://no-such-host.invalid: no such host (expected: a name or an address)",
        fault.getMessage());
  }
}

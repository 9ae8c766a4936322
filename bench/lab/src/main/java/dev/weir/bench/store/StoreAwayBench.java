package dev.weir.bench.store;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.Programs;
import dev.weir.bench.process.RedisServer;
import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.Charges;
import dev.weir.proxy.admission.ExactGate;
import dev.weir.proxy.admission.Gate;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.LocalGate;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.StoreMetrics;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Algorithm;
import dev.weir.proxy.rule.Alignment;
import dev.weir.proxy.rule.Identities;
import dev.weir.proxy.rule.Identity;
import dev.weir.proxy.rule.KeySpec;
import dev.weir.proxy.rule.Mode;
import dev.weir.proxy.rule.PathPattern;
import dev.weir.proxy.rule.Rate;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.RuleSpec;
import dev.weir.proxy.rule.Shares;
import dev.weir.proxy.store.Store;
import dev.weir.proxy.store.StoreLogin;
import dev.weir.proxy.store.StoreNode;
import dev.weir.proxy.store.StoreSettings;
import dev.weir.proxy.store.Topology;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does a decision of mode exact take while the store is away, beside the same with the store
 * there? Two rules take turns, as they do in front of a service; 2,048 requests are on the way at
 * one time, and the figure is a share of the time until all of them are told.
 */
@State(Scope.Benchmark)
@BenchmarkMode(org.openjdk.jmh.annotations.Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgs = {
      "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
      "-Dagrona.disable.bounds.checks=true",
      "-Xmx512m",
      "-XX:MaxDirectMemorySize=2g"
    })
public class StoreAwayBench implements Gate.Outcome {
  private static final int BATCH = 2_048;
  private static final int RULES = 2;
  private static final int SIDECARS = 3;

  /** So many that none of them comes near its limit. */
  private static final int CLIENTS = 1 << 16;

  private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(30);
  private static final Pattern FELL_BACK =
      Pattern.compile("(?m)^weir_store_fallback_\\w+_total [1-9]");

  @Param({
    "gcra",
    "token-bucket",
    "leaky-bucket",
    "fixed-window",
    "calendar",
    "sliding-log",
    "sliding-counter",
    "bucket-ring"
  })
  public String algorithm;

  @Param({"there", "away"})
  public String store;

  private final Transport transport = Transport.of(TransportKind.AUTO);
  private final LoopClock clock = new LoopClock();
  private final Metrics metrics = new Metrics();
  private final Client client = new Client();
  private final Charges charges = new Charges();
  private LimitTables tables;
  private MultiThreadIoEventLoopGroup group;
  private EventLoop eventLoop;
  private RedisServer server;
  private Store servers;
  private ExactGate gate;
  private RuleSet rules;
  private CountDownLatch told;
  private int untold;
  private int next;

  /** One of many that ask. */
  private static final class Client implements Identities, Identity {
    private final UnsafeBuffer bytes =
        new UnsafeBuffer("\1\0\0\0\10client00".getBytes(StandardCharsets.ISO_8859_1));
    private int number;

    @Override
    public Identity of(int keyGroup) {
      bytes.putInt(bytes.capacity() - Integer.BYTES, number | 0x3030_0000);
      return this;
    }

    @Override
    public long hash() {
      return number * 0x9E37_79B9_7F4A_7C15L;
    }

    @Override
    public DirectBuffer bytes() {
      return bytes;
    }

    @Override
    public int length() {
      return bytes.capacity();
    }
  }

  private RuleSpec rule(String id) {
    final RuleSpec.Builder rule =
        RuleSpec.builder(id)
            .path(PathPattern.parse("/" + id))
            .mode(Mode.EXACT)
            .key(KeySpec.parse("header:x-user-id"));
    if (algorithm.equals("calendar")) {
      return rule.algorithm(Algorithm.FIXED_WINDOW)
          .align(Alignment.DAY)
          .zone(ZoneId.of("Europe/Berlin"))
          .rate(Rate.parse("1000000/1d"))
          .build();
    }
    for (Algorithm each : Algorithm.values()) {
      if (each.toString().equals(algorithm)) {
        return rule.algorithm(each).rate(Rate.parse("192/1s")).build();
      }
    }
    throw new IllegalArgumentException(algorithm);
  }

  @Setup(Level.Trial)
  public void start() throws IOException, InterruptedException {
    final Path binary =
        Programs.find("redis-server")
            .orElseThrow(() -> new IllegalStateException("redis-server (expected: installed)"));
    server = new RedisServer(binary, Cores.UNPINNED);
    tables = LimitTables.allocate(new AdmissionSettings(3 * CLIENTS, 3 * CLIENTS, 0), 64);
    group = new MultiThreadIoEventLoopGroup(1, transport.handlerFactory());
    eventLoop = (EventLoop) group.iterator().next();
    final StoreSettings settings =
        new StoreSettings(
            List.of(new StoreNode(server.address(), 1)),
            Topology.STANDALONE,
            null,
            StoreLogin.NONE,
            StoreLogin.NONE,
            0,
            false,
            null,
            DEADLINE_NS);
    servers = new Store(settings, transport, "", () -> "", (count, rank) -> {});
    final StoreMetrics figures = metrics.newLoop().store();
    final Deadlines deadlines = new Deadlines(clock);
    gate =
        new ExactGate(
            servers.join(eventLoop, clock, deadlines, figures),
            settings,
            StoreNames.DEFAULT,
            new LocalGate(tables),
            clock,
            figures);
    metrics.exposeStore();
    eventLoop.execute(() -> deadlines.start(eventLoop));
    if (!servers.start(CONNECT_NS)) {
      throw new IllegalStateException("not connected to " + server.address());
    }
    rules =
        RuleSet.compile(
            List.of(rule("one"), rule("other")), false, RuleSet.EMPTY, LoopClock.unixEpochNs());
    final Shares shares = new Shares();
    shares.divideBy(SIDECARS, 0);
    shares.follow(rules);
    if (store.equals("away")) {
      server.close();
      final long endNs = System.nanoTime() + CONNECT_NS;
      while (servers.count(true) > 0) {
        if (System.nanoTime() - endNs > 0) {
          throw new IllegalStateException("the connection outlives its server");
        }
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
  }

  /** Whoever measures the wrong way says so. */
  @TearDown(Level.Trial)
  public void stop() throws IOException {
    final String all = new String(metrics.expose(null).body(), StandardCharsets.UTF_8);
    final boolean fellBack = FELL_BACK.matcher(all).find();
    servers.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    tables.close();
    server.close();
    if (fellBack != store.equals("away")) {
      throw new IllegalStateException(
          "store " + store + ", and " + (fellBack ? "policies" : "the store") + " decided");
    }
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void decide() throws InterruptedException {
    told = new CountDownLatch(1);
    eventLoop.execute(this::ask);
    told.await();
  }

  private void ask() {
    untold = BATCH;
    final long nowNs = clock.tick();
    for (int i = 0; i < BATCH; i++) {
      client.number = next / RULES % CLIENTS;
      charges.set(rules.rules().get(next++ % RULES), client);
      final Verdict known = gate.ask(i, charges, nowNs, this);
      if (known != null) {
        settle(i, known);
      }
    }
  }

  @Override
  public void settle(long ticket, Verdict verdict) {
    if (!verdict.allowed()) {
      throw new IllegalStateException(verdict.refusal() + " (expected: nobody is refused)");
    }
    if (--untold == 0) {
      told.countDown();
    }
  }

  @Override
  public boolean awaits(long ticket) {
    return true;
  }
}

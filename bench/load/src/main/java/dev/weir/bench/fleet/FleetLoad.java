package dev.weir.bench.fleet;

import dev.weir.bench.fleet.SidecarLoad.Check;
import dev.weir.bench.keys.MovingZipf;
import dev.weir.bench.keys.ZipfKeys;
import dev.weir.bench.load.Connector;
import dev.weir.bench.load.LocalLoad;
import dev.weir.bench.load.Request;
import dev.weir.bench.origin.LocalLoop;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.Target;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks the decision API of several sidecars for checks, when they are due whatever became of those
 * before. One event loop of its own; the methods are called by one other thread.
 */
final class FleetLoad implements AutoCloseable {
  /** After which a request without an answer is given up. */
  static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(2);

  private static final long LEAST_PAUSE_NS = 20_000;
  private static final long LONGEST_PAUSE_NS = 5_000_000;
  private static final long SWEEP_NS = 20_000_000;
  private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long POLL_NS = 2_000_000;
  private static final long LEAD_NS = 5_000_000;
  private static final long SEED = 0xCAFE;

  /** The k-th busiest sidecar has a share proportional to 1/k; the same in every run. */
  private static final double SHARE_EXPONENT = 1;

  private static final long SHARES_SEED = 0x5EED;

  private final LocalLoop loop = new LocalLoop("weir-fleet-load", ClientSettings.usualTransport());
  private final EventLoop eventLoop = loop.eventLoop();
  private final List<SidecarLoad> sidecars = new ArrayList<>();
  private final MovingZipf shares;
  private final SplittableRandom moves = new SplittableRandom(SHARES_SEED);
  private final Map<String, Map<Integer, Request>> requests = new HashMap<>();

  /**
   * Connects to the decision API of each sidecar, on 127.0.0.1.
   *
   * @throws IOException if there is no connection to one of them within 10 s.
   */
  FleetLoad(List<Integer> ports) throws IOException {
    shares = new MovingZipf(ports.size(), SHARE_EXPONENT);
    for (int port : ports) {
      sidecars.add(new SidecarLoad(connector(port), TIMEOUT_NS));
    }
    eventLoop.execute(() -> sidecars.forEach(SidecarLoad::connect));
    try {
      awaitConnections(ports);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private Connector connector(int port) {
    return new Connector(
        eventLoop,
        loop.transport(),
        new Target(false, "127.0.0.1", port, "127.0.0.1:" + port),
        LocalLoad.clients(Protocol.HTTP1, SidecarLoad.CONNECTIONS, 1, TIMEOUT_NS),
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  private void awaitConnections(List<Integer> ports) throws IOException {
    final long startNs = System.nanoTime();
    for (int i = 0; i < ports.size(); i++) {
      final SidecarLoad sidecar = sidecars.get(i);
      while (on(sidecar::openCount) < SidecarLoad.CONNECTIONS) {
        if (System.nanoTime() - startNs > CONNECT_NS) {
          throw new IOException("no connections to a sidecar's decision API, port " + ports.get(i));
        }
        LockSupport.parkNanos(POLL_NS);
      }
    }
  }

  /** The sidecar that has the most requests now. */
  int busiest() {
    return on(shares::first);
  }

  /** Begins a load; the trace comes when all its requests have ended. One load at a time. */
  CompletableFuture<FleetTrace> start(LoadPlan plan) {
    final Run run = new Run(plan, System.nanoTime() + LEAD_NS);
    eventLoop.execute(run::turn);
    return run.done;
  }

  /**
   * Runs a load.
   *
   * @throws IOException if the load itself failed.
   */
  FleetTrace run(LoadPlan plan) throws IOException {
    return end(start(plan));
  }

  /**
   * Waits for the end of a load.
   *
   * @throws IOException if the load itself failed.
   */
  static FleetTrace end(CompletableFuture<FleetTrace> load) throws IOException {
    try {
      return load.join();
    } catch (CompletionException e) {
      throw new IOException("the load failed: " + e.getCause(), e.getCause());
    }
  }

  private Request request(String rule, int key) {
    return requests
        .computeIfAbsent(rule, any -> new HashMap<>())
        .computeIfAbsent(key, any -> newRequest(rule, key));
  }

  private static Request newRequest(String rule, int key) {
    final String head =
        "GET /v1/check/" + rule + " HTTP/1.1\r\nHost: fleet\r\nX-User-Id: key-" + key + "\r\n\r\n";
    return new Request(head.getBytes(StandardCharsets.US_ASCII), Request.NO_BODY, false);
  }

  private <T> T on(Callable<T> task) {
    return eventLoop.submit(task).syncUninterruptibly().getNow();
  }

  @Override
  public void close() {
    on(
        () -> {
          sidecars.forEach(SidecarLoad::close);
          return true;
        });
    loop.close();
  }

  /** One load, on the event loop. */
  private final class Run {
    private final LoadPlan plan;
    private final long startNs;
    private final FleetTrace trace;
    private final ZipfKeys keys;
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final CompletableFuture<FleetTrace> done = new CompletableFuture<>();
    private long next;
    private long movedNs;
    private long sweptNs;

    private Run(LoadPlan plan, long startNs) {
      this.plan = plan;
      this.startNs = startNs;
      movedNs = startNs;
      sweptNs = startNs;
      trace = new FleetTrace(plan, startNs);
      keys = new ZipfKeys(plan.keys(), LoadPlan.KEY_EXPONENT);
    }

    private void turn() {
      try {
        if (next == 0) {
          sidecars.forEach(sidecar -> sidecar.begin(trace));
        }
        final long nowNs = System.nanoTime();
        startDue(nowNs);
        if (nowNs - sweptNs >= SWEEP_NS) {
          sweptNs = nowNs;
          sidecars.forEach(sidecar -> sidecar.expire(nowNs));
        }
        if (next == plan.count() && sidecars.stream().allMatch(SidecarLoad::isIdle)) {
          done.complete(trace);
          return;
        }
        final long pauseNs = next == plan.count() ? LONGEST_PAUSE_NS : dueNs() - System.nanoTime();
        eventLoop.schedule(
            this::turn,
            Math.max(LEAST_PAUSE_NS, Math.min(LONGEST_PAUSE_NS, pauseNs)),
            TimeUnit.NANOSECONDS);
      } catch (RuntimeException e) {
        done.completeExceptionally(e);
      }
    }

    private long dueNs() {
      return startNs + (long) (next * (plan.durationNs() / (double) plan.count()));
    }

    private void startDue(long nowNs) {
      while (next < plan.count() && dueNs() - nowNs <= 0) {
        final long dueNs = dueNs();
        if (dueNs - movedNs >= plan.moveNs()) {
          movedNs += plan.moveNs();
          shares.move(moves);
        }
        final String rule = plan.rules().get((int) (next % plan.rules().size()));
        final int key = plan.firstKey() + keys.next(random);
        trace.due(rule, dueNs);
        sidecars
            .get(shares.draw(moves))
            .offer(new Check(request(rule, key), rule, key, dueNs), nowNs);
        next++;
      }
    }
  }

  /**
   * Requests of an open loop, evenly spaced.
   *
   * @param rules that are asked, in turn; at least one.
   * @param firstKey the number of the busiest key.
   * @param keys from there on, each with a budget per rule; the k-th busiest has a share of the
   *     requests proportional to 1/k^1.1.
   * @param perSecond of all rules and keys together.
   * @param durationNs how long requests are due for.
   * @param moveNs how often other sidecars become the busy ones.
   */
  record LoadPlan(
      List<String> rules, int firstKey, int keys, double perSecond, long durationNs, long moveNs) {
    static final double KEY_EXPONENT = 1.1;

    long count() {
      return Math.round(perSecond * durationNs / 1e9);
    }
  }
}

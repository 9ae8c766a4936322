package dev.weir.bench.fleet;

import dev.weir.bench.fleet.FleetLoad.LoadPlan;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.SidecarProcess;
import dev.weir.bench.process.TemporaryFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Sidecars with the same settings, and the load on them. Ends all that it has started with {@link
 * #close}, and with this process. Owned by one thread.
 */
final class Fleet implements AutoCloseable {
  /** One whom no limit is told of: it is asked for to see whether sidecars decide. */
  private static final int PROBE_KEY = 1_000_000;

  private static final double PROBES_PER_SECOND = 200;
  private static final long PROBING_NS = 100_000_000;
  private static final int PROBINGS = 100;

  private final TemporaryFolder folder = new TemporaryFolder("weir-bench-fleet");
  final List<SidecarProcess> sidecars = new ArrayList<>();

  /** Counted by sidecars until they were killed. */
  private SidecarFigures figuresOfKilled = SidecarFigures.NONE;

  FleetLoad load;

  /**
   * Starts so many sidecars, and connects to them.
   *
   * @throws IOException with what one printed, if it does not start.
   */
  Fleet(Path launcher, String settings, int count, Cores cores) throws IOException {
    final List<CompletableFuture<SidecarProcess>> starting = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      final Path own = folder.path().resolve("sidecar-" + i);
      starting.add(CompletableFuture.supplyAsync(() -> started(launcher, settings, own, cores)));
    }
    try {
      IOException failure = null;
      for (CompletableFuture<SidecarProcess> each : starting) {
        try {
          sidecars.add(each.join());
        } catch (CompletionException e) {
          failure = new IOException(e.getCause().getMessage(), e.getCause());
        }
      }
      if (failure != null) {
        throw failure;
      }
      load = new FleetLoad(sidecars.stream().map(SidecarProcess::port).toList());
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private static SidecarProcess started(Path launcher, String settings, Path folder, Cores cores) {
    try {
      Files.createDirectory(folder);
      return new SidecarProcess(launcher, "decision: 127.0.0.1:<port>\n" + settings, folder, cores);
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }

  SidecarFigures figures() throws IOException {
    SidecarFigures sum = figuresOfKilled;
    for (SidecarProcess sidecar : sidecars) {
      sum = sum.plus(SidecarFigures.parse(sidecar.metrics()));
    }
    return sum;
  }

  /** Kills the sidecar with the most requests now, and starts it again. */
  void killBusiest() throws IOException {
    final SidecarProcess busiest = busiest();
    figuresOfKilled = figuresOfKilled.plus(SidecarFigures.parse(busiest.metrics()));
    busiest.kill();
    busiest.start();
  }

  /** The sidecar with the most requests now. */
  SidecarProcess busiest() {
    return sidecars.get(load.busiest());
  }

  /**
   * Waits until sidecars decide by rules that need the store.
   *
   * @throws IOException if they do not within some 10 s.
   */
  void awaitDecisions(List<String> rules) throws IOException {
    if (rules.isEmpty()) {
      return;
    }
    for (int i = 0; i < PROBINGS; i++) {
      final FleetTrace trace =
          load.run(
              new LoadPlan(rules, PROBE_KEY, 1, PROBES_PER_SECOND, PROBING_NS, Long.MAX_VALUE));
      if (rules.stream().allMatch(rule -> trace.undecided(rule) == 0)) {
        return;
      }
    }
    throw new IOException("sidecars do not decide: the store cannot be reached by them");
  }

  @Override
  public void close() {
    try (folder) {
      if (load != null) {
        load.close();
      }
      sidecars.forEach(SidecarProcess::close);
    }
  }

  record FleetPrograms(Path launcher, Path redisServer) {}
}

package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.RateLimitAnswers;
import dev.weir.proxy.control.RateLimitSettings;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.decision.grpc.GrpcMethod;
import dev.weir.proxy.decision.http.HttpEndpoint;
import dev.weir.proxy.envoy.call.HealthEndpoint;
import dev.weir.proxy.envoy.call.JsonEndpoint;
import dev.weir.proxy.envoy.call.RateLimitErrors;
import dev.weir.proxy.envoy.call.RateLimiter;
import dev.weir.proxy.envoy.call.ShouldRateLimit;
import dev.weir.proxy.envoy.file.ConfigurationFolder;
import dev.weir.proxy.envoy.file.ConfigurationReload;
import dev.weir.proxy.envoy.file.RateLimitConfiguration;
import dev.weir.proxy.loop.LoopBroadcast;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.watch.Reloads;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Envoy's rate-limit service of a sidecar: the folder of its files, followed while it runs, and a
 * limiter for each event loop.
 */
public final class SidecarRateLimits implements AutoCloseable {
  private final LoopBroadcast<RateLimiter> limiters = new LoopBroadcast<>();
  private final RateLimitErrors errors = new RateLimitErrors();
  private final ConfigurationReload reload;
  private final BooleanSupplier ready;
  private final RateLimitAnswers answers;

  /** All limiters, for work that need not be done on their event loops. */
  private final List<RateLimiter> all = new ArrayList<>();

  private RateLimitConfiguration last;

  /** The methods and endpoints of one event loop. */
  record Loop(List<GrpcMethod> methods, List<HttpEndpoint> endpoints) {
    /** An event loop without Envoy's rate-limit service. */
    static final Loop NONE = new Loop(List.of(), List.of());
  }

  /**
   * Reads the files.
   *
   * @param hasStore whether limits are of mode exact by default.
   * @param ringCells length of the rings in the tables; 0 for none.
   * @throws IllegalArgumentException with every fault, if there is one.
   */
  SidecarRateLimits(
      RateLimitSettings settings,
      boolean hasStore,
      int ringCells,
      Metrics metrics,
      BooleanSupplier ready) {
    this.ready = ready;
    this.answers = settings.answers();
    reload = new ConfigurationReload(folder(settings, hasStore, ringCells), this::publish);
    String faults = reload.load();
    if (!faults.isEmpty()) {
      throw new IllegalArgumentException("ratelimit-config:\n" + faults);
    }
    metrics.exposeDescriptors(
        errors.ofDomain::sum,
        errors.ofCaller::sum,
        errors.ofStore::sum,
        errors.ofShadow::sum,
        reload.reloads()::takenCount,
        reload.reloads()::rejectedCount);
    new SidecarFigures(metrics)
        .expose("weir_ratelimit_config", "Envoy's rate limits", reload.reloads());
  }

  private static ConfigurationFolder folder(
      RateLimitSettings settings, boolean hasStore, int ringCells) {
    return new ConfigurationFolder(
        settings.folder(), settings.mergesDomains(), hasStore, ringCells, LoopClock.unixEpochNs());
  }

  /** The faults that a start would find in the files, a text each; none if all can be used now. */
  public static List<String> faults(Settings settings) {
    List<Faults> faults = new ArrayList<>();
    if (settings.rateLimits().isConfigured()) {
      folder(settings.rateLimits(), settings.store().isConfigured(), settings.ringCells())
          .read(faults);
    }
    return faults.stream()
        .flatMap(of -> of.all().stream())
        .map(fault -> "ratelimit-config: " + fault)
        .toList();
  }

  /** Makes on this thread what takes long, so that event loops only swap it. */
  private void publish(RateLimitConfiguration next) {
    Map<RateLimiter, Runnable> swaps = new IdentityHashMap<>();
    all.forEach(limiter -> swaps.put(limiter, limiter.prepare(last, next)));
    last = next;
    if (!all.isEmpty()) {
      next.succeed();
      limiters.tell(limiter -> swaps.get(limiter).run(), next::completeAdoption);
    }
  }

  /** Makes an event loop's part; before any request comes on it. */
  Loop join(LoopParts parts, AdmissionHandler admission, KeyHasher hasher) {
    LoopClock clock = parts.clock();
    RateLimiter limiter =
        new RateLimiter(
            admission, hasher, parts.metrics(), errors, clock, LoopClock.unixEpochNs(), answers);
    limiter.prepare(null, last).run();
    limiters.add(parts.eventLoop(), limiter);
    all.add(limiter);
    return new Loop(
        List.of(new ShouldRateLimit(limiter, errors, parts.metrics().responseTimes(), clock)),
        List.of(new JsonEndpoint(limiter, errors), new HealthEndpoint(ready)));
  }

  /** Follows the folder from now on; once all event loops have joined. */
  void start() {
    reload.start();
  }

  Reloads reloads() {
    return reload.reloads();
  }

  /** Reads the files again, changed or not. Any thread. */
  void reload() {
    reload.reload();
  }

  @Override
  public void close() {
    reload.close();
  }
}

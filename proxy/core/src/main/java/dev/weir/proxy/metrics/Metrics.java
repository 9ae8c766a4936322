package dev.weir.proxy.metrics;

import dev.weir.proxy.request.RefusalReason;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * All that is counted and timed in this process: one {@link LoopMetrics} per event loop, figures
 * that others supply, and the JVM's. Thread-safe.
 */
public final class Metrics {
  private static final Pattern NAME = Pattern.compile("weir_[a-z][a-z0-9_]*[a-z0-9]");

  private final Latencies latencies = new Latencies();
  private final RuleFigures decisions;
  private final RuleFigures asked;
  private final List<LoopMetrics> loops = new CopyOnWriteArrayList<>();
  private final ConcurrentSkipListMap<String, Supplied> supplied = new ConcurrentSkipListMap<>();
  private final DescriptorNames descriptorNames;
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final Exposition exposition;
  private volatile boolean exposesStore;
  private volatile boolean exposesDecisions;

  public Metrics() {
    this(System::nanoTime);
  }

  /**
   * @param clockNs monotonic; by it rules that are gone are forgotten, and names that are not used.
   */
  public Metrics(LongSupplier clockNs) {
    decisions = new RuleFigures(clockNs);
    asked = new RuleFigures(clockNs);
    descriptorNames = new DescriptorNames(clockNs);
    registry.register(new WeirCollector(this));
    registry.register(new JvmFigures());
    registry.register(new ProcessFigures());
    exposition = new Exposition(registry);
  }

  /** From now on, what is asked of the store is exposed too. */
  public void exposeStore() {
    exposesStore = true;
  }

  /**
   * From now on, the figures of Envoy's rate-limit service are exposed too.
   *
   * @param unknownDomains calls of domains that are in no file.
   * @param callerErrors calls that could not be decided by their callers' fault.
   * @param storeErrors calls on which the store gave no decision.
   * @param shadowed calls that were over their limits and passed, as all do.
   * @param loads how often files were read and taken.
   * @param failedLoads how often they had faults.
   */
  public void exposeDescriptors(
      LongSupplier unknownDomains,
      LongSupplier callerErrors,
      LongSupplier storeErrors,
      LongSupplier shadowed,
      LongSupplier loads,
      LongSupplier failedLoads) {
    registry.register(
        new DescriptorCollector(
            this, unknownDomains, callerErrors, storeErrors, shadowed, loads, failedLoads));
  }

  /**
   * Shows the counters of each limit of Envoy's rate-limit service, those of each event loop.
   * Forgets names that nobody has used for an hour.
   */
  public void forEachDescriptor(BiConsumer<List<String>, DescriptorCounters> visitor) {
    loops.forEach(loop -> loop.forEachDescriptor(visitor));
    descriptorNames.scrape(visitor);
  }

  /** Shows how long calls of Envoy's rate-limit service took, loop by loop. */
  void forEachResponseTimes(Consumer<ResponseTimes> visitor) {
    loops.forEach(loop -> visitor.accept(loop.responseTimes()));
  }

  /** From now on, the decision API's figures are exposed too. */
  public void exposeDecisions() {
    exposesDecisions = true;
  }

  boolean exposesDecisions() {
    return exposesDecisions;
  }

  boolean exposesStore() {
    return exposesStore;
  }

  /** Counters for one more event loop. */
  public LoopMetrics newLoop() {
    LoopMetrics loop = new LoopMetrics(latencies, decisions, asked, descriptorNames);
    loops.add(loop);
    return loop;
  }

  /** The times of all loops. */
  public Latencies latencies() {
    return latencies;
  }

  /**
   * A figure that goes up and down, asked for at each scrape, on the scraping thread.
   *
   * @param name {@code weir_} and lower-case words, unit last.
   */
  public void gauge(String name, String help, DoubleSupplier value) {
    supply(name, new Supplied(help, false, Map.of(Labels.EMPTY, value)));
  }

  /**
   * A figure that only grows, asked for at each scrape, on the scraping thread.
   *
   * @param name {@code weir_} and lower-case words; {@code _total} is appended where it is missing.
   */
  public void counter(String name, String help, LongSupplier value) {
    String base = name.endsWith("_total") ? name.substring(0, name.length() - 6) : name;
    supply(base, new Supplied(help, true, Map.of(Labels.EMPTY, value::getAsLong)));
  }

  /**
   * Figures that only grow, each asked for at each scrape, on the scraping thread.
   *
   * @param name {@code weir_} and lower-case words, without {@code _total}.
   * @param values by the value of the label.
   */
  public void counters(String name, String help, String label, Map<String, LongSupplier> values) {
    Map<Labels, DoubleSupplier> labelled = new TreeMap<>();
    values.forEach((text, value) -> labelled.put(Labels.of(label, text), value::getAsLong));
    supply(name, new Supplied(help, true, labelled));
  }

  private void supply(String name, Supplied figure) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(name + " (expected: weir_ and lower-case words)");
    }
    if (WeirCollector.isOwnName(name) || supplied.putIfAbsent(name, figure) != null) {
      throw new IllegalArgumentException(name + " (expected: a name not yet taken)");
    }
  }

  /**
   * Everything in the text form that the scraper prefers.
   *
   * @param accept the request's Accept field; null for none.
   */
  public Exposition.Page expose(String accept) {
    return exposition.write(accept);
  }

  /** How many requests were answered here for a reason. */
  public long refusalCount(RefusalReason reason) {
    return sum(LoopFigures.REFUSALS.word() + reason.ordinal());
  }

  /** How many requests passed undecided by the store that cannot be charged later. */
  public long forgottenDebtCount() {
    return sum(LoopFigures.STORE_DEBTS_FORGOTTEN.word());
  }

  /** The sum of what all loops have counted at one word of their rows. */
  long sum(int word) {
    long sum = 0;
    for (LoopMetrics loop : loops) {
      sum += loop.count(word);
    }
    return sum;
  }

  /**
   * How many have begun and not ended. Ends are read first: what ended had begun, so that the
   * answer is never negative.
   */
  long sum(OpenGauge gauge) {
    long ended = sum(gauge.endedWord());
    return sum(gauge.begun().word()) - ended;
  }

  /** Decisions on requests, as {@link RuleFigures#sums} has them. */
  TreeMap<String, long[]> decisions() {
    return decisions.sums();
  }

  /** Decisions on checks that programs ask for, as {@link RuleFigures#sums} has them. */
  TreeMap<String, long[]> asked() {
    return asked.sums();
  }

  ConcurrentSkipListMap<String, Supplied> supplied() {
    return supplied;
  }

  /**
   * A figure somebody else keeps.
   *
   * @param isCounter whether it only grows.
   */
  record Supplied(String help, boolean isCounter, Map<Labels, DoubleSupplier> values) {}
}

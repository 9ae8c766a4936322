package dev.weir.proxy.metrics;

import dev.weir.proxy.metrics.DescriptorCounters.Outcome;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * The names that callers' requests have given to figures of Envoy's rate-limit service, for all
 * event loops: at most {@link #MAX_COUNT}, so that what callers send does not make a scrape long. A
 * name is known to every loop or to none. One that scrapes have not seen used for an hour is
 * forgotten on all loops at once, so that nobody fills the table for good.
 *
 * <p>Thread-safe. What is known is a map that is never changed: a new name replaces it by a copy.
 */
public final class DescriptorNames {
  /** The most names. */
  public static final int MAX_COUNT = 1_000;

  /** How long an unused name stays. */
  public static final long KEPT_NS = TimeUnit.HOURS.toNanos(1);

  private final LongSupplier clockNs;
  private volatile Long2ObjectHashMap<Name> known = new Long2ObjectHashMap<>();

  /** A name, with the event loops' counters for it. */
  public static final class Name {
    private final List<String> names;
    private final Map<LoopMetrics, DescriptorCounters> counters = new ConcurrentHashMap<>();

    /** The hits that the last scrape saw. */
    private long hits;

    /** When a scrape last saw more hits than the one before. */
    private long usedNs;

    private volatile boolean isGone;

    private Name(List<String> names, long nowNs) {
      this.names = names;
      this.usedNs = nowNs;
    }

    /** The counters of an event loop. Allocates for one that has none yet. */
    public DescriptorCounters of(LoopMetrics loop) {
      return counters.computeIfAbsent(loop, key -> new DescriptorCounters());
    }

    /** Whether it has been forgotten, so that its counters are not exposed. */
    public boolean isGone() {
      return isGone;
    }

    private void look(long nowNs) {
      long sum = 0;
      for (DescriptorCounters each : counters.values()) {
        sum += each.count(Outcome.TOTAL_HITS);
      }
      if (sum != hits) {
        hits = sum;
        usedNs = nowNs;
      }
    }
  }

  /**
   * @param clockNs monotonic.
   */
  DescriptorNames(LongSupplier clockNs) {
    this.clockNs = clockNs;
  }

  /** The name of a key; null if it has none. Allocates nothing. */
  public Name find(long key) {
    return known.get(key);
  }

  /** Whether there is room for another name. */
  public boolean hasRoom() {
    return known.size() < MAX_COUNT;
  }

  /**
   * Names a key.
   *
   * @param names the domain first; not to be changed.
   * @return the name that it has now; null if there is no room.
   */
  public synchronized Name add(long key, List<String> names) {
    Name before = known.get(key);
    if (before != null || !hasRoom()) {
      return before;
    }
    Name made = new Name(names, clockNs.getAsLong());
    Long2ObjectHashMap<Name> next = new Long2ObjectHashMap<>(known);
    next.put(key, made);
    known = next;
    return made;
  }

  /** Forgets the names of all domains but some. */
  public synchronized void keepOnly(Predicate<String> domains) {
    keep(name -> domains.test(name.names.get(0)));
  }

  private void keep(Predicate<Name> kept) {
    Long2ObjectHashMap<Name> next = new Long2ObjectHashMap<>();
    known.forEach(
        (key, name) -> {
          if (kept.test(name)) {
            next.put(key, name);
          } else {
            name.isGone = true;
          }
        });
    known = next;
  }

  /** Forgets names that have not been used for an hour, and visits the counters of all others. */
  synchronized void scrape(BiConsumer<List<String>, DescriptorCounters> visitor) {
    long nowNs = clockNs.getAsLong();
    known.values().forEach(name -> name.look(nowNs));
    keep(name -> nowNs - name.usedNs < KEPT_NS);
    known
        .values()
        .forEach(name -> name.counters.values().forEach(each -> visitor.accept(name.names, each)));
  }
}

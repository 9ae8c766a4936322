package dev.weir.proxy.metrics;

import java.util.List;
import java.util.function.Predicate;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * The names that callers' requests have given to figures of Envoy's rate-limit service, for all
 * event loops: at most {@link #MAX_COUNT}, so that what callers send does not make a scrape long. A
 * name is known to every loop or to none.
 *
 * <p>Thread-safe. What is known is a map that is never changed: a new name replaces it by a copy.
 */
public final class DescriptorNames {
  /** The most names. */
  public static final int MAX_COUNT = 1_000;

  private volatile Long2ObjectHashMap<List<String>> known = new Long2ObjectHashMap<>();

  DescriptorNames() {}

  /** The name of a key, the domain first; null if it has none. Allocates nothing. */
  public List<String> find(long key) {
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
  public synchronized List<String> add(long key, List<String> names) {
    List<String> before = known.get(key);
    if (before != null || !hasRoom()) {
      return before;
    }
    Long2ObjectHashMap<List<String>> next = new Long2ObjectHashMap<>(known);
    next.put(key, names);
    known = next;
    return names;
  }

  /** Forgets the names of all domains but some. */
  public synchronized void keepOnly(Predicate<String> domains) {
    Long2ObjectHashMap<List<String>> next = new Long2ObjectHashMap<>();
    known.forEach(
        (key, names) -> {
          if (domains.test(names.get(0))) {
            next.put(key, names);
          }
        });
    known = next;
  }
}

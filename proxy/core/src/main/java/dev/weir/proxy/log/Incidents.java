package dev.weir.proxy.log;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Incidents of one kind, by the name of what they happen to. Of more than {@link #MOST_NAMES} names
 * those are forgotten that are well; where all of them are not, others share one incident. Any
 * thread; to find one that is known costs no lock.
 */
public final class Incidents {
  static final int MOST_NAMES = 256;

  /** The name that stands for those beyond the bound. */
  static final String OTHERS = "others";

  private final Function<String, Incident> maker;
  private final Map<String, Incident> byName = new ConcurrentHashMap<>();

  /**
   * @param maker makes the incident of a name, which has not begun.
   */
  public Incidents(Function<String, Incident> maker) {
    this.maker = maker;
  }

  /** Notices that something is wrong, as {@link Incident#noticed(String)} tells it. */
  public void noticed(String name, String cause) {
    Incident known = byName.get(name);
    (known != null ? known : add(name)).noticed(cause);
  }

  private synchronized Incident add(String name) {
    if (byName.size() >= MOST_NAMES) {
      byName.values().removeIf(incident -> !incident.isOn());
    }
    return byName.computeIfAbsent(byName.size() < MOST_NAMES ? name : OTHERS, maker);
  }

  /** All is well again with a name, as {@link Incident#ended} tells it. */
  public void ended(String name) {
    Incident known = byName.get(name);
    if (known != null) {
      known.ended();
    }
  }

  /** How many names are known. */
  int size() {
    return byName.size();
  }
}

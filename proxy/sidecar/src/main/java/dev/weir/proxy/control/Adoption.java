package dev.weir.proxy.control;

import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RunningSidecar;
import java.util.HashMap;
import java.util.Map;

/**
 * How many sidecars of a service follow a version of the rules, or a later one.
 *
 * @param live how many there are.
 * @param refusing those that cannot take it, and say so.
 */
public record Adoption(int live, int using, int refusing) {
  /**
   * Asks a store. A later version counts as well, unless the store has lost it, or the sidecar
   * refuses one. The store is asked once for each later version, however many sidecars follow it.
   */
  public static Adoption of(RecordStore store, RecordVersion version) throws RecordStoreException {
    int live = 0;
    int using = 0;
    int refusing = 0;
    Map<RecordVersion, Boolean> known = new HashMap<>();
    for (RunningSidecar sidecar : store.sidecars()) {
      RecordVersion inUse = sidecar.inUse();
      live++;
      refusing += version.equals(sidecar.refused()) ? 1 : 0;
      boolean isLater = inUse.number() > version.number() && sidecar.refused() == null;
      if (isLater && !known.containsKey(inUse)) {
        known.put(inUse, store.knows(inUse));
      }
      using += inUse.equals(version) || isLater && known.get(inUse) ? 1 : 0;
    }
    return new Adoption(live, using, refusing);
  }
}

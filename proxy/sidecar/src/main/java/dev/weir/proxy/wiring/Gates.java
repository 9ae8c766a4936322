package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.ExactGate;
import dev.weir.proxy.admission.Gate;
import dev.weir.proxy.admission.GateByMode;
import dev.weir.proxy.admission.LeasedGate;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.LocalGate;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.admission.lease.SharedLeases;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.map.StoreSettings;

/**
 * Makes the gates of each event loop, which share tables and leases.
 *
 * @param names of budgets in the store.
 * @param leases null without a store.
 */
record Gates(LimitTables tables, StoreSettings settings, StoreNames names, SharedLeases leases) {
  static Gates of(LimitTables tables, StoreSettings settings, StoreNames names) {
    return new Gates(tables, settings, names, settings.isConfigured() ? new SharedLeases() : null);
  }

  /**
   * The gate of an event loop.
   *
   * @param store of the same event loop; null if there is none.
   */
  Gate make(LoopStore store, LoopClock clock, LoopMetrics metrics) {
    LocalGate local = new LocalGate(tables);
    if (store == null) {
      return local;
    }
    ExactGate exact = new ExactGate(store, settings, names, local, clock, metrics.store());
    LeasedGate leased = new LeasedGate(exact, leases, store, settings, names, clock, metrics);
    return new GateByMode(local, exact, leased, clock);
  }

  /** Once no event loop decides any more. */
  void close() {
    if (leases != null) {
      leases.close();
    }
  }
}

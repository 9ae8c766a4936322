package dev.weir.proxy.admission;

import dev.weir.proxy.admission.ban.Bans;
import dev.weir.proxy.admission.lease.SharedLeases;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.ModelStore;
import dev.weir.proxy.store.map.StoreLogin;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.store.map.Topology;
import java.util.List;

/** Admission by one rule, on a {@link ModelStore}. */
public final class ModelAdmission {
  static final int HANDS = 1 << 13;
  private static final int MOST_USERS = 64;

  private ModelAdmission() {}

  public static AdmissionHandler of(
      ModelStore store,
      Topology topology,
      long deadlineNs,
      LimitTables tables,
      LoopMetrics metrics,
      RuleSpec rule) {
    return of(store, topology, deadlineNs, tables, metrics, HANDS, rule);
  }

  /**
   * @param hands so many keys may have.
   */
  static AdmissionHandler of(
      ModelStore store,
      Topology topology,
      long deadlineNs,
      LimitTables tables,
      LoopMetrics metrics,
      int hands,
      RuleSpec rule) {
    AdmissionHandler admission =
        withoutRules(store, topology, deadlineNs, tables, metrics, hands, StoreNames.DEFAULT);
    admission.publish(RuleSet.compile(List.of(rule), false, RuleSet.EMPTY, 0));
    return admission;
  }

  /** Admission for callers who know limits of their own. */
  public static AdmissionHandler withoutRules(
      ModelStore store,
      Topology topology,
      long deadlineNs,
      LimitTables tables,
      LoopMetrics metrics,
      StoreNames names) {
    return withoutRules(store, topology, deadlineNs, tables, metrics, HANDS, names);
  }

  private static AdmissionHandler withoutRules(
      ModelStore store,
      Topology topology,
      long deadlineNs,
      LimitTables tables,
      LoopMetrics metrics,
      int hands,
      StoreNames names) {
    StoreSettings settings =
        new StoreSettings(
            List.of(),
            topology,
            null,
            StoreLogin.NONE,
            StoreLogin.NONE,
            0,
            false,
            null,
            deadlineNs);
    LocalGate local = new LocalGate(tables);
    ExactGate exact =
        new ExactGate(store.store(), settings, names, local, store.clock(), metrics.store());
    LeasedGate leased =
        new LeasedGate(
            exact, new SharedLeases(hands), store.store(), settings, names, store.clock(), metrics);
    GateByMode gate = new GateByMode(local, exact, leased, store.clock());
    IdentityReader identities =
        new IdentityReader(
            IdentitySettings.DEFAULT,
            KeyHasher.withKey(1, 2),
            new ClientIpReader(IdentitySettings.DEFAULT),
            32 * 1024);
    return new AdmissionHandler(
        gate,
        new AddressLists(),
        new Bans(""),
        new Users(MOST_USERS),
        identities,
        metrics,
        store.clock(),
        store.eventLoop());
  }
}

package dev.weir.proxy.admission;

import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import dev.weir.proxy.store.map.Topology;
import java.util.ArrayList;
import java.util.List;

/** A gate for keys in mode leased over a model of the store, with rules that may change. */
final class LeasedRig implements AutoCloseable {
  static final long MS = 1_000_000;
  static final long DEADLINE_NS = 5 * MS;

  /** The life of units of a window of a year. */
  static final long LIFE_NS = 2_000 * MS;

  static final String[] HEADERS = {"x-user", "x-group", "x-region"};

  final LoopMetrics metrics = new Metrics().newLoop();
  final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 128);
  final ModelServer server;
  final ModelStore store;
  final AdmissionHandler admission;
  private final UsersSpec users;
  private RuleSet rules = RuleSet.EMPTY;

  /**
   * A gate with a first rule.
   *
   * @param observer of the store; null for this rig's metrics.
   * @param hands so many keys may have.
   */
  LeasedRig(StoreObserver observer, int hands, RuleSpec first) {
    this(new ModelServer(1), null, observer, hands, first);
  }

  /**
   * A gate of one of the sidecars that share a server.
   *
   * @param users whose plans may change; null for none.
   */
  LeasedRig(
      ModelServer server, UsersSpec users, StoreObserver observer, int hands, RuleSpec first) {
    this.server = server;
    this.users = users;
    store =
        new ModelStore(
            List.of(server),
            List.of(),
            false,
            observer == null ? metrics.store() : observer,
            DEADLINE_NS);
    admission =
        ModelAdmission.of(store, Topology.STANDALONE, DEADLINE_NS, tables, metrics, hands, first);
    publish(first);
  }

  /** A rule of fixed windows, of which each next one has the next of the headers as its key. */
  static RuleSpec rule(Mode mode, String... rates) {
    return rule(mode, new long[] {1, 1, 1}, rates);
  }

  /**
   * The same rule with costs of each limit.
   *
   * @param costs as many as rates, or more.
   */
  static RuleSpec rule(Mode mode, long[] costs, String... rates) {
    List<BudgetSpec.Builder> limits = new ArrayList<>();
    for (String rate : rates) {
      limits.add(
          new BudgetSpec.Builder()
              .algorithm(Algorithm.FIXED_WINDOW)
              .rate(Rate.parse(rate))
              .cost(costs[limits.size()])
              .key(KeySpec.parse("header:" + HEADERS[limits.size()])));
    }
    return RuleSpec.builder("r")
        .limits(limits)
        .mode(mode)
        .onStoreFailure(OnStoreFailure.CLOSED)
        .build();
  }

  void publish(RuleSpec rule) {
    rules = RuleSet.compile(List.of(rule), null, users, false, rules, 0, 0);
    rules.succeed();
    admission.publish(rules);
    rules.completeAdoption();
  }

  void answerAll() {
    while (server.pendingCount() > 0) {
      server.answer();
    }
  }

  @Override
  public void close() {
    store.close();
    tables.close();
  }
}

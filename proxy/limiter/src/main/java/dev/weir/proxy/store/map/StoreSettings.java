package dev.weir.proxy.store.map;

import java.nio.file.Path;
import java.util.List;

/**
 * The settings of the store.
 *
 * @param nodes empty if there is no store.
 * @param sentinelMaster the server's name at the sentinels; null unless the topology is {@link
 *     Topology#SENTINEL}.
 * @param login to the servers that hold budgets.
 * @param sentinelLogin to the sentinels.
 * @param database 0 except for a single server.
 * @param tls whether to use TLS.
 * @param tlsCa a PEM file of the authorities to trust; null for those of the JDK.
 * @param deadlineNs how long a decision may take before the failure policy decides.
 */
public record StoreSettings(
    List<StoreNode> nodes,
    Topology topology,
    String sentinelMaster,
    StoreLogin login,
    StoreLogin sentinelLogin,
    int database,
    boolean tls,
    Path tlsCa,
    long deadlineNs) {
  /** No store: every rule is decided on this node. */
  public static final StoreSettings NONE =
      new StoreSettings(
          List.of(),
          Topology.STANDALONE,
          null,
          StoreLogin.NONE,
          StoreLogin.NONE,
          0,
          false,
          null,
          5_000_000);

  public StoreSettings {
    nodes = List.copyOf(nodes);
  }

  public boolean isConfigured() {
    return !nodes.isEmpty();
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return topology + " " + nodes;
  }
}

package dev.weir.proxy.store.map;

import java.util.Locale;

/** How the servers of a store stand to each other. */
public enum Topology {
  /** A single server. */
  STANDALONE,

  /** One server and its replicas, watched by sentinels: the nodes that are named are sentinels. */
  SENTINEL,

  /** Redis Cluster: the nodes that are named are some of it. */
  CLUSTER,

  /** Servers that know nothing of each other; partitions are spread over them by their weights. */
  SHARDED;

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package dev.weir.proxy.store.map;

import java.util.Locale;

/** The topology of the store's servers. */
public enum Topology {
  /** A single server. */
  STANDALONE,

  /**
   * One server and its replicas, watched by sentinels; the nodes in the settings are the sentinels.
   */
  SENTINEL,

  /** Redis Cluster; the nodes in the settings are some of it. */
  CLUSTER,

  /** Independent servers; partitions are assigned by their weights. */
  SHARDED;

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

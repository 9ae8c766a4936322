package dev.weir.proxy.store.map;

import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * The server of every partition. Immutable; replaced as a whole when the servers change.
 *
 * @param servers their addresses, resolved; each has a partition.
 * @param standbys servers that may take over for one of them: connections to them are kept too.
 * @param owners by partition, the index of its server; -1 if none has it now.
 * @param isCluster whether the keys of one call must be of one partition.
 */
public record ShardMap(
    List<SocketAddress> servers, List<SocketAddress> standbys, int[] owners, boolean isCluster) {
  /** The map before any server is known. */
  public static final ShardMap EMPTY = new ShardMap(List.of(), List.of(), filled(-1), false);

  public ShardMap {
    servers = List.copyOf(servers);
    standbys = List.copyOf(standbys);
  }

  /** All partitions on one server. */
  static ShardMap single(SocketAddress server) {
    return new ShardMap(List.of(server), List.of(), filled(0), false);
  }

  /**
   * Makes the map from the server of each partition.
   *
   * @param masters with null for partitions without a server.
   */
  public static ShardMap of(
      SocketAddress[] masters, Set<SocketAddress> standbys, boolean isCluster) {
    List<SocketAddress> servers = new ArrayList<>();
    int[] owners = filled(-1);
    for (int partition = 0; partition < masters.length; partition++) {
      SocketAddress master = masters[partition];
      if (master != null) {
        if (!servers.contains(master)) {
          servers.add(master);
        }
        owners[partition] = servers.indexOf(master);
      }
    }
    List<SocketAddress> others = new ArrayList<>(standbys);
    others.removeAll(servers);
    others.sort(Comparator.comparing(StoreNode::text));
    return new ShardMap(servers, others, owners, isCluster);
  }

  /** This map, in which partitions without a server stay with their former one. */
  ShardMap filledFrom(ShardMap before) {
    SocketAddress[] masters = new SocketAddress[owners.length];
    for (int partition = 0; partition < masters.length; partition++) {
      masters[partition] = owners[partition] < 0 ? before.server(partition) : server(partition);
    }
    return of(masters, Set.copyOf(standbys), isCluster);
  }

  private static int[] filled(int owner) {
    int[] owners = new int[Partitions.COUNT];
    Arrays.fill(owners, owner);
    return owners;
  }

  /** The server of a partition; null if none has it. */
  public SocketAddress server(int partition) {
    int owner = owners[partition];
    return owner < 0 ? null : servers.get(owner);
  }

  /** A partition that a server has; -1 if it has none. */
  public int partitionOf(SocketAddress server) {
    int owner = servers.indexOf(server);
    for (int partition = 0; partition < owners.length && owner >= 0; partition++) {
      if (owners[partition] == owner) {
        return partition;
      }
    }
    return -1;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ShardMap that
        && isCluster == that.isCluster
        && servers.equals(that.servers)
        && standbys.equals(that.standbys)
        && Arrays.equals(owners, that.owners);
  }

  @Override
  public int hashCode() {
    return servers.hashCode();
  }

  @Override
  public String toString() {
    return servers.stream().map(StoreNode::text).toList().toString();
  }
}

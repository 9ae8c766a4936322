package dev.weir.proxy.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds out which server has which partition, in the way of each topology. Blocks: for the thread
 * that keeps the store's map, and no event loop.
 */
final class ShardMapReader {
  private final StoreSettings settings;
  private final StoreCalls calls;

  /** Of the nodes, the sentinel that answered last. */
  private int sentinel;

  ShardMapReader(StoreSettings settings, StoreCalls calls) {
    this.settings = settings;
    this.calls = calls;
  }

  /**
   * Reads the map.
   *
   * @param known the map before: its servers are asked too.
   * @throws IOException with the node and the cause, if none could tell.
   */
  ShardMap read(ShardMap known) throws IOException {
    return switch (settings.topology()) {
      case STANDALONE -> ShardMap.single(resolved(settings.nodes().get(0).address()));
      case SHARDED -> spread();
      case SENTINEL -> fromSentinels();
      case CLUSTER -> fromCluster(known);
    };
  }

  private ShardMap spread() throws IOException {
    List<SocketAddress> servers = new ArrayList<>();
    for (StoreNode node : settings.nodes()) {
      servers.add(resolved(node.address()));
    }
    return new ShardMap(servers, List.of(), Partitions.spread(settings.nodes()), false);
  }

  /** Asks the sentinel that answered last, and when it does not, the next. */
  private ShardMap fromSentinels() throws IOException {
    IOException last = null;
    for (int tried = 0; tried < settings.nodes().size(); tried++) {
      try {
        return ShardMap.single(master(settings.nodes().get(sentinel)));
      } catch (IOException fault) {
        last = fault;
        sentinel = (sentinel + 1) % settings.nodes().size();
      }
    }
    throw last;
  }

  private SocketAddress master(StoreNode node) throws IOException {
    StatefulRedisSentinelConnection<String, String> connection =
        calls.sentinel(resolved(node.address()));
    SocketAddress master =
        calls.await(
            node.toString(), connection.async().getMasterAddrByName(settings.sentinelMaster()));
    if (master == null) {
      throw new IOException(
          "sentinel "
              + node
              + ": redis.sentinel-master: "
              + settings.sentinelMaster()
              + " (expected: a name that the sentinels know)");
    }
    return resolved(master);
  }

  private ShardMap fromCluster(ShardMap known) throws IOException {
    Set<SocketAddress> asked = new LinkedHashSet<>(known.servers());
    IOException last = null;
    for (StoreNode node : settings.nodes()) {
      try {
        asked.add(resolved(node.address()));
      } catch (IOException fault) {
        last = fault;
      }
    }
    for (SocketAddress node : asked) {
      try {
        StatefulRedisConnection<byte[], byte[]> connection = calls.node(node);
        String name = StoreNode.text(node);
        ShardMap map = parse(node, calls.await(name, connection.async().clusterSlots()));
        if (!map.servers().isEmpty()) {
          return map;
        }
        last = new IOException("redis " + name + ": the cluster has no slots yet");
      } catch (IOException fault) {
        last = fault;
      }
    }
    throw last;
  }

  /** CLUSTER SLOTS: first slot, last slot, then of the master and each replica host, port, id. */
  private static ShardMap parse(SocketAddress asked, List<Object> ranges) throws IOException {
    List<SocketAddress> servers = new ArrayList<>();
    Set<SocketAddress> standbys = new LinkedHashSet<>();
    int[] owners = new int[Partitions.COUNT];
    Arrays.fill(owners, -1);
    for (Object range : ranges) {
      List<?> fields = (List<?>) range;
      long first = (Long) fields.get(0);
      long last = (Long) fields.get(1);
      SocketAddress master = address(asked, (List<?>) fields.get(2));
      for (Object replica : fields.subList(3, fields.size())) {
        standbys.add(address(asked, (List<?>) replica));
      }
      for (int partition = 0; partition < Partitions.COUNT; partition++) {
        int slot = Partitions.slot(partition);
        if (slot >= first && slot <= last) {
          if (!servers.contains(master)) {
            servers.add(master);
          }
          owners[partition] = servers.indexOf(master);
        }
      }
    }
    standbys.removeAll(servers);
    return new ShardMap(servers, List.copyOf(standbys), owners, true);
  }

  private static SocketAddress address(SocketAddress asked, List<?> node) throws IOException {
    byte[] host = (byte[]) node.get(0);
    int port = Math.toIntExact((Long) node.get(1));
    if (host == null || host.length == 0) { // it does not know its own address: where it was asked
      return new InetSocketAddress(((InetSocketAddress) asked).getAddress(), port);
    }
    return resolved(
        InetSocketAddress.createUnresolved(new String(host, StandardCharsets.UTF_8), port));
  }

  /** The address looked up anew: a name may have moved. */
  private static SocketAddress resolved(SocketAddress address) throws IOException {
    if (!(address instanceof InetSocketAddress inet)) {
      return address;
    }
    try {
      InetAddress found = InetAddress.getByName(inet.getHostString());
      return new InetSocketAddress(
          InetAddress.getByAddress(inet.getHostString(), found.getAddress()), inet.getPort());
    } catch (UnknownHostException unknown) {
      throw new IOException(
          "redis " + StoreNode.text(inet) + ": " + "a host name that does not resolve", unknown);
    }
  }
}

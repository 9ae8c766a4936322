package dev.weir.proxy.store.map;

import dev.weir.proxy.log.PeerText;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * Finds the server of each partition, by topology. Blocks: for the thread that reads the store's
 * map, not for event loops.
 */
public final class ShardMapReader {
  /** Servers of a cluster that are asked for the map at one time. */
  private static final int ASKED_AT_ONCE = 3;

  private final StoreSettings settings;
  private final StoreCalls calls;
  private final Map<String, InetAddress> addresses = new HashMap<>();

  /**
   * A map as it was read.
   *
   * @param missing why it lacks partitions; null if it lacks none.
   */
  public record Reading(ShardMap map, String missing) {}

  public ShardMapReader(StoreSettings settings, StoreCalls calls) {
    this.settings = settings;
    this.calls = calls;
  }

  /**
   * Reads the map.
   *
   * @param known the map before, whose servers are asked too.
   * @throws IOException with the node and the cause, if none could tell.
   */
  public Reading read(ShardMap known) throws IOException {
    return switch (settings.topology()) {
      case STANDALONE ->
          new Reading(ShardMap.single(resolved(settings.nodes().get(0).address())), null);
      case SHARDED -> spread();
      case SENTINEL -> new Reading(fromSentinels(), null);
      // In the middle of a failover a third server may have heard that the old master has stepped
      // down, and not yet who follows. The old one has, and redirects.
      case CLUSTER -> new Reading(fromCluster(known).filledFrom(known), null);
    };
  }

  /**
   * The map of independent servers. A server whose name does not resolve keeps its partitions, as
   * no other may have them.
   */
  private Reading spread() {
    String missing = null;
    int[] owners = Partitions.spread(settings.nodes());
    SocketAddress[] servers = new SocketAddress[settings.nodes().size()];
    for (int i = 0; i < servers.length; i++) {
      try {
        servers[i] = resolved(settings.nodes().get(i).address());
      } catch (IOException unknown) {
        missing = unknown.getMessage();
      }
    }
    SocketAddress[] masters =
        Arrays.stream(owners).mapToObj(at -> servers[at]).toArray(SocketAddress[]::new);
    return new Reading(ShardMap.of(masters, Set.of(), false), missing);
  }

  private ShardMap fromSentinels() throws IOException {
    Map<SocketAddress, Named> answers =
        calls.askEach(resolvedNodes(), sentinel -> calls.sentinel(sentinel).thenCompose(this::ask));
    Named latest = null;
    for (Named named : answers.values()) {
      if (named.master() != null && (latest == null || named.epoch() > latest.epoch())) {
        latest = named;
      }
    }
    if (latest == null) {
      throw new IOException(
          "sentinel "
              + StoreNode.text(answers.keySet().iterator().next())
              + ": redis.sentinel-master: "
              + settings.sentinelMaster()
              + " (expected: a name that the sentinels know)");
    }
    return ShardMap.single(resolved(latest.master()));
  }

  /**
   * The answer of a sentinel. The highest epoch wins, as some sentinels hear of a failover later.
   */
  private record Named(SocketAddress master, long epoch) {}

  private CompletionStage<Named> ask(StatefulRedisSentinelConnection<String, String> sentinel) {
    String name = settings.sentinelMaster();
    return sentinel
        .async()
        .getMasterAddrByName(name)
        .thenCompose(
            master ->
                master == null
                    ? CompletableFuture.completedFuture(new Named(null, 0))
                    : sentinel
                        .async()
                        .master(name)
                        .thenApply(
                            of -> new Named(master, Long.parseLong(of.get("config-epoch")))));
  }

  private List<SocketAddress> resolvedNodes() throws IOException {
    List<SocketAddress> addresses = new ArrayList<>();
    IOException last = null;
    for (StoreNode node : settings.nodes()) {
      try {
        addresses.add(resolved(node.address()));
      } catch (IOException unknown) {
        last = unknown;
      }
    }
    if (addresses.isEmpty()) {
      throw last;
    }
    return addresses;
  }

  private ShardMap fromCluster(ShardMap known) throws IOException {
    List<SocketAddress> all = new ArrayList<>(known.servers());
    Collections.shuffle(all, ThreadLocalRandom.current());
    IOException last = null;
    for (int from = 0; from < all.size(); from += ASKED_AT_ONCE) {
      try {
        return askCluster(all.subList(from, Math.min(from + ASKED_AT_ONCE, all.size())));
      } catch (IOException fault) {
        last = fault;
      }
    }
    try {
      return askCluster(resolvedNodes());
    } catch (IOException fault) {
      throw last == null ? fault : last;
    }
  }

  /** The map that most of those servers have, as one that was cut off may have an old map. */
  private ShardMap askCluster(List<SocketAddress> servers) throws IOException {
    Map<SocketAddress, List<Object>> answers =
        calls.askEach(
            servers, node -> calls.node(node).thenCompose(open -> open.async().clusterSlots()));
    Map<ShardMap, Integer> votes = new LinkedHashMap<>();
    for (Map.Entry<SocketAddress, List<Object>> answer : answers.entrySet()) {
      ShardMap map = parse(answer.getKey(), answer.getValue());
      if (!map.servers().isEmpty()) {
        votes.merge(map, 1, Integer::sum);
      }
    }
    return votes.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .orElseThrow(() -> new IOException("redis " + named(servers) + ": no slots yet"));
  }

  private static String named(List<SocketAddress> servers) {
    return servers.stream().map(StoreNode::text).collect(Collectors.joining(", "));
  }

  /**
   * Parses CLUSTER SLOTS: first slot, last slot, then host, port and id of the master and each
   * replica.
   */
  ShardMap parse(SocketAddress asked, List<Object> ranges) throws IOException {
    SocketAddress[] masters = new SocketAddress[Partitions.COUNT];
    Set<SocketAddress> standbys = new HashSet<>();
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
          masters[partition] = master;
        }
      }
    }
    // In the order of the partitions, since each server lists the ranges in an order of its own.
    return ShardMap.of(masters, standbys, true);
  }

  private SocketAddress address(SocketAddress asked, List<?> node) throws IOException {
    byte[] host = (byte[]) node.get(0);
    int port = Math.toIntExact((Long) node.get(1));
    if (host == null || host.length == 0) { // it does not know its own address: where it was asked
      return new InetSocketAddress(((InetSocketAddress) asked).getAddress(), port);
    }
    return resolved(
        InetSocketAddress.createUnresolved(new String(host, StandardCharsets.UTF_8), port));
  }

  /**
   * Resolves an address again, as its name may have moved. The present address stays if it is among
   * the answers, or if the name does not resolve now.
   */
  private SocketAddress resolved(SocketAddress address) throws IOException {
    if (!(address instanceof InetSocketAddress inet)) {
      return address;
    }
    String host = inet.getHostString();
    InetAddress before = addresses.get(host);
    try {
      List<InetAddress> found = List.of(InetAddress.getAllByName(host));
      if (before == null || !found.contains(before)) {
        addresses.put(host, found.get(0));
      }
      byte[] octets = addresses.get(host).getAddress();
      return new InetSocketAddress(InetAddress.getByAddress(host, octets), inet.getPort());
    } catch (UnknownHostException unknown) {
      if (before != null) {
        return new InetSocketAddress(before, inet.getPort());
      }
      throw new IOException(
          "redis "
              + PeerText.shown(StoreNode.text(inet))
              + " (expected: a host name that resolves)",
          unknown);
    }
  }
}

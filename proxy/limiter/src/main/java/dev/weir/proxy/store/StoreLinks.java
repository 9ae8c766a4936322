package dev.weir.proxy.store;

import dev.weir.proxy.store.map.ShardMap;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The connections of an event loop: to the servers of the map, to their standbys, and to servers
 * that a redirection has named.
 */
final class StoreLinks {
  private final LoopStoreConfig parts;
  private final EndedCalls ended;
  private final LoopStore store;
  private final Map<SocketAddress, StoreLink> links = new HashMap<>();
  private ShardMap map = ShardMap.EMPTY;

  StoreLinks(LoopStoreConfig parts, EndedCalls ended, LoopStore store) {
    this.parts = parts;
    this.ended = ended;
    this.store = store;
  }

  /** Applies another map: servers that stay keep their connections. */
  void apply(ShardMap newMap) {
    map = newMap;
    Stream.concat(newMap.servers().stream(), newMap.standbys().stream())
        .filter(server -> !links.containsKey(server))
        .forEach(this::open);
  }

  private StoreLink open(SocketAddress server) {
    StoreLink link = new StoreLink(parts, ended, store, server, () -> map.partitionOf(server));
    links.put(server, link);
    parts.deadlines().join(link);
    link.connect();
    return link;
  }

  /** The connection to a server of the map. */
  StoreLink to(SocketAddress server) {
    return links.get(server);
  }

  /** Whether a map is known, and every server of it is connected. */
  boolean areReady() {
    return map != ShardMap.EMPTY
        && map.servers().stream().allMatch(server -> links.get(server).isReady());
  }

  /** Closes the connections to servers that the map does not have, unless they are in use. */
  void closeUnused() {
    for (Iterator<StoreLink> all = links.values().iterator(); all.hasNext(); ) {
      StoreLink link = all.next();
      boolean isKnown =
          map.servers().contains(link.address()) || map.standbys().contains(link.address());
      if (!isKnown && link.isIdle()) {
        all.remove();
        link.close();
      }
    }
  }

  /**
   * The link that a redirection such as {@code MOVED 3999 127.0.0.1:6381} names; null if it cannot
   * be read.
   *
   * @param from the link of the answer: without a host, another port on the same host is meant.
   */
  StoreLink redirected(String redirection, StoreLink from) {
    String[] words = redirection.split(" ");
    int colon = words.length < 3 ? -1 : words[2].lastIndexOf(':');
    if (colon < 0) {
      return null;
    }
    for (StoreLink link : links.values()) {
      if (link.name().equals(words[2])) {
        return link;
      }
    }
    byte[] address =
        colon == 0 && from.address() instanceof InetSocketAddress inet
            ? inet.getAddress().getAddress()
            : NetUtil.createByteArrayFromIpAddressString(words[2].substring(0, colon));
    if (address == null) {
      return null; // to look a name up would stop the loop; the map's next refresh does
    }
    try {
      int port = Integer.parseInt(words[2].substring(colon + 1));
      InetSocketAddress target = new InetSocketAddress(InetAddress.getByAddress(address), port);
      StoreLink link = links.get(target);
      return link != null ? link : open(target);
    } catch (IllegalArgumentException | UnknownHostException malformed) {
      return null;
    }
  }

  /** The number of connections to servers of the map that decide now, or that do not. */
  int count(boolean deciding) {
    int count = 0;
    for (SocketAddress server : map.servers()) {
      StoreLink link = links.get(server);
      boolean decides = link.isReady() && link.breaker().state() == Breaker.State.CLOSED;
      if (decides == deciding) {
        count++;
      }
    }
    return count;
  }

  void close() {
    links.values().forEach(StoreLink::close);
    links.clear();
  }
}

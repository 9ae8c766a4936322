package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.downstream.ClientSettings;
import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.tls.ServerTls;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/** All listeners. The bounds on clients hold for all of them together. */
public final class Listeners {
  private final List<Listener> listeners = new ArrayList<>();

  /**
   * Starts listening.
   *
   * @param tls of a listener; null for plain connections.
   * @param trusted whether a peer is a trusted proxy.
   * @param ipv6Prefix the bits of an IPv6 address that make one client.
   * @param protocols of each event loop of the group.
   * @throws IOException if an address cannot be listened on; its message names it and the cause,
   *     and no listener is left open.
   */
  public Listeners(
      ClientSettings settings,
      Function<ListenerSettings, ServerTls> tls,
      Transport transport,
      EventLoopGroup group,
      Predicate<IpAddress> trusted,
      int ipv6Prefix,
      Function<EventLoop, ClientProtocols> protocols)
      throws IOException {
    ConnectionCaps caps = new ConnectionCaps(settings.caps(), ipv6Prefix);
    CountByClient handshakes = AcceptedConnections.handshakes(settings.caps(), ipv6Prefix);
    try {
      for (ListenerSettings each : settings.listeners()) {
        AcceptedConnections arrivals =
            new AcceptedConnections(each, tls.apply(each), trusted, caps, handshakes);
        Listener listener = new Listener(each.address(), arrivals, transport, group, protocols);
        listeners.add(listener);
        caps.join(listener.channel().config());
      }
    } catch (IOException | RuntimeException failed) {
      close();
      throw failed;
    }
  }

  /**
   * The addresses that are listened on, in the order of the settings; with the actual port if the
   * settings have port 0.
   */
  public List<SocketAddress> addresses() {
    return listeners.stream().map(Listener::address).toList();
  }

  /** Accepts no more clients. Open connections stay. */
  public void close() {
    listeners.forEach(Listener::close);
  }
}

package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.downstream.ClientSettings;
import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.loop.Acceptor;
import dev.weir.proxy.loop.Addresses;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.loop.ChannelSetUp;
import dev.weir.proxy.loop.ListeningSocket;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.tls.ServerTls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/** All listeners. The bounds on clients hold for all of them together. */
public final class Listeners {
  private final List<ListeningSocket> sockets = new ArrayList<>();

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
        ListeningSocket socket = listen(each.address(), arrivals, transport, group, protocols);
        sockets.add(socket);
        caps.join(socket.channel().config());
      }
    } catch (IOException | RuntimeException failed) {
      close();
      throw failed;
    }
  }

  /** Accepts clients at one address and hands each to an event loop, where it stays. */
  private static ListeningSocket listen(
      SocketAddress address,
      AcceptedConnections arrivals,
      Transport transport,
      EventLoopGroup group,
      Function<EventLoop, ClientProtocols> protocols)
      throws IOException {
    Acceptor acceptor =
        new Acceptor(
                group,
                transport.serverChannel(address),
                new ChannelSetUp() {
                  @Override
                  protected void setUp(Channel client) {
                    arrivals.accepted(protocols.apply(client.eventLoop()), client);
                  }
                })
            .option(ChannelOption.SO_BACKLOG, 4096)
            .connectionOption(ChannelOption.WRITE_BUFFER_WATER_MARK, ChannelIo.WATER_MARK);
    if (transport.endsSidesApart(address)) {
      acceptor.connectionOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    }
    if (address instanceof InetSocketAddress) {
      acceptor.option(ChannelOption.SO_REUSEADDR, true);
      acceptor.connectionOption(ChannelOption.TCP_NODELAY, true);
    }
    try {
      return ListeningSocket.bind(acceptor, transport, address);
    } catch (IOException refused) {
      throw new IOException(Addresses.text(address) + ": " + refused.getMessage(), refused);
    }
  }

  /**
   * The addresses that are listened on, in the order of the settings; with the actual port if the
   * settings have port 0.
   */
  public List<SocketAddress> addresses() {
    return sockets.stream().map(ListeningSocket::address).toList();
  }

  /** Accepts no more clients. Open connections stay. */
  public void close() {
    sockets.forEach(ListeningSocket::close);
  }
}

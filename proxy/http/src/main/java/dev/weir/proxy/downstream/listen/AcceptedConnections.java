package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.downstream.ClientCaps;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.request.Handshake;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.tls.ServerTls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import java.net.InetSocketAddress;
import java.util.function.Predicate;

/**
 * The way of a connection that one listener has accepted: it is counted, passes the stages of its
 * listener (PROXY header, then TLS), and then speaks HTTP.
 */
final class AcceptedConnections {
  /** A client may have one connection in a handshake for each so many connections. */
  private static final int CONNECTIONS_PER_HANDSHAKE = 4;

  private final boolean expectsProxyHeader;
  private final ServerTls tls;
  private final Predicate<IpAddress> trusted;
  private final ConnectionCaps caps;
  private final CountByClient handshakes;

  /**
   * @param tls null for a listener of plain connections.
   * @param trusted whether a peer is a trusted proxy.
   * @param handshakes under way, of all listeners.
   */
  AcceptedConnections(
      ListenerSettings settings,
      ServerTls tls,
      Predicate<IpAddress> trusted,
      ConnectionCaps caps,
      CountByClient handshakes) {
    this.expectsProxyHeader = settings.proxyProtocol();
    this.tls = tls;
    this.trusted = trusted;
    this.caps = caps;
    this.handshakes = handshakes;
  }

  /** A count of handshakes, with the bound for each client. */
  static CountByClient handshakes(ClientCaps caps, int ipv6Prefix) {
    int maxCount = Math.max(1, caps.connectionsPerAddress() / CONNECTIONS_PER_HANDSHAKE);
    return new CountByClient(maxCount, ipv6Prefix);
  }

  /** Takes an accepted connection; called by its event loop. */
  void accepted(ClientProtocols protocols, Channel channel) {
    IpAddress address =
        channel.remoteAddress() instanceof InetSocketAddress inet
            ? IpAddress.of(inet.getAddress())
            : null;
    IpAddress peerAddress = address == null ? IpAddress.LOOPBACK : address;
    Peer peer = new Peer(peerAddress, trusted.test(peerAddress));
    // Behind a proxy that is believed, or a Unix-domain socket, may stand any number of clients.
    IpAddress capped = peer.trusted() ? null : address;
    if (!caps.enter(capped)) {
      refuse(protocols, channel);
      return;
    }
    channel.closeFuture().addListener(closed -> caps.leave(capped));
    if (expectsProxyHeader) {
      channel.pipeline().addLast(new ProxyHeaderStage(protocols, channel, peer, this));
    } else if (!admit(protocols, channel, peer, capped)) {
      refuse(protocols, channel);
    }
  }

  /** Sends a client a 503 that it has as many connections as it may, if the connection is plain. */
  private void refuse(ClientProtocols protocols, Channel channel) {
    protocols.clients.observer.connectionRefused();
    if (tls != null || expectsProxyHeader) {
      channel.close();
      return;
    }
    channel
        .writeAndFlush(
            protocols.http1.refusals.write(
                channel.alloc(),
                protocols.clients.requests.plain(RefusalReason.TOO_MANY_CONNECTIONS),
                true,
                false,
                false))
        .addListener(ChannelFutureListener.CLOSE);
  }

  /**
   * Replaces the peer of a connection by the client that the PROXY header of a trusted proxy names.
   *
   * @param named null if the header names nobody.
   * @return false, and the connection is not admitted, if that client has as many connections as it
   *     may.
   */
  boolean introduced(ClientProtocols protocols, Channel channel, Peer sender, IpAddress named) {
    if (named == null) {
      return isAdmitted(protocols, channel, sender, null);
    }
    Peer peer = new Peer(named, trusted.test(named));
    IpAddress capped = peer.trusted() ? null : named;
    if (!caps.clients().enter(capped)) {
      protocols.clients.observer.connectionRefused();
      return false;
    }
    channel.closeFuture().addListener(closed -> caps.clients().leave(capped));
    return isAdmitted(protocols, channel, peer, capped);
  }

  private boolean isAdmitted(
      ClientProtocols protocols, Channel channel, Peer peer, IpAddress capped) {
    boolean isAdmitted = admit(protocols, channel, peer, capped);
    if (!isAdmitted) {
      protocols.clients.observer.connectionRefused();
    }
    return isAdmitted;
  }

  /** Admits a connection; false if its client's share of the heap has no room for it. */
  private boolean admit(ClientProtocols protocols, Channel channel, Peer peer, IpAddress capped) {
    ClientShares.Share memory =
        protocols.clients.memory.of(capped == null ? null : caps.clients().counted(capped));
    if (!memory.take(ClientLoop.CONNECTION_BYTES)) {
      return false;
    }
    channel.closeFuture().addListener(closed -> memory.give(ClientLoop.CONNECTION_BYTES));
    if (tls == null) {
      channel.pipeline().addLast(new ProtocolChoice(protocols, channel, peer, memory));
    } else if (handshakes.enter(capped)) {
      channel
          .pipeline()
          .addLast(tls.newHandler(channel))
          .addLast(new HandshakeStage(protocols, channel, peer, handshakes, capped, memory));
    } else {
      protocols.clients.observer.handshakeEnded(Handshake.TURNED_AWAY);
      channel.close();
    }
    return true;
  }
}

package dev.weir.proxy.client;

import dev.weir.proxy.loop.ListeningSocket;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RefusalReason;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Function;
import java.util.function.Predicate;

/** Accepts clients and hands each to an event loop, where it stays. */
public final class Listener {
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(32 * 1024, 128 * 1024);

  private final ClientSettings settings;
  private final Predicate<IpAddress> trusted;
  private final Function<EventLoop, ClientLoop> loops;
  private final ConnectionCaps caps;
  private final ListeningSocket socket;

  /**
   * Starts listening.
   *
   * @param trusted whether what a peer says of other addresses is believed.
   * @param ipv6Prefix the bits of an IPv6 address that make one client.
   * @param loops what belongs to each event loop of the group.
   * @throws IOException if the address cannot be listened on; its message says which and why.
   */
  public Listener(
      ClientSettings settings,
      Transport transport,
      EventLoopGroup group,
      Predicate<IpAddress> trusted,
      int ipv6Prefix,
      Function<EventLoop, ClientLoop> loops)
      throws IOException {
    this.settings = settings;
    this.trusted = trusted;
    this.loops = loops;
    this.caps = new ConnectionCaps(settings.caps(), ipv6Prefix);
    SocketAddress address = settings.listen();
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channel(transport.serverChannel(address))
            .option(ChannelOption.SO_BACKLOG, 4096)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel client) {
                    accepted(client);
                  }
                });
    if (transport.endsSidesApart(address)) {
      bootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    }
    if (address instanceof InetSocketAddress) {
      bootstrap.option(ChannelOption.SO_REUSEADDR, true);
      bootstrap.childOption(ChannelOption.TCP_NODELAY, true);
    }
    try {
      socket = ListeningSocket.bind(bootstrap, transport, address);
    } catch (IOException refused) {
      throw new IOException(text(address) + ": " + refused.getMessage(), refused);
    }
  }

  private static String text(SocketAddress address) {
    return address instanceof InetSocketAddress inet
        ? inet.getHostString() + ':' + inet.getPort()
        : "unix:" + address;
  }

  private void accepted(Channel client) {
    ClientLoop loop = loops.apply(client.eventLoop());
    IpAddress address =
        client.remoteAddress() instanceof InetSocketAddress inet
            ? IpAddress.of(inet.getAddress())
            : null;
    IpAddress peerAddress = address == null ? IpAddress.LOOPBACK : address;
    Peer peer = new Peer(peerAddress, trusted.test(peerAddress));
    // Behind a proxy that is believed, or a Unix-domain socket, may stand any number of clients.
    IpAddress capped = peer.trusted() ? null : address;
    if (!caps.enter(capped)) {
      loop.observer.connectionRefused();
      client
          .writeAndFlush(
              loop.refusals.write(
                  client.alloc(),
                  loop.requests.plain(RefusalReason.TOO_MANY_CONNECTIONS),
                  true,
                  false,
                  false))
          .addListener(ChannelFutureListener.CLOSE);
      return;
    }
    ChannelConfig listening = client.parent().config();
    if (caps.full()) {
      listening.setAutoRead(false);
      if (!caps.full()) {
        listening.setAutoRead(true); // one left meanwhile, and has not seen the pause
      }
    }
    client
        .closeFuture()
        .addListener(
            closed -> {
              caps.leave(capped);
              if (!caps.full() && !listening.isAutoRead()) {
                listening.setAutoRead(true);
              }
            });
    client.pipeline().addLast(new ProtocolChoice(loop, client, peer));
  }

  /**
   * The address that the listener has; with the port that was found if the settings asked for any.
   */
  public SocketAddress address() {
    return socket.address();
  }

  /** Accepts no more clients. Those that are there stay. */
  public void close() {
    socket.close();
  }
}

package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.loop.Acceptor;
import dev.weir.proxy.loop.ChannelSetUp;
import dev.weir.proxy.loop.ListeningSocket;
import dev.weir.proxy.loop.Transport;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Function;

/** Accepts clients at one address, and assigns each to an event loop, where it stays. */
final class Listener {
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(32 * 1024, 128 * 1024);

  private final ListeningSocket socket;

  /**
   * Starts listening.
   *
   * @param protocols of each event loop of the group.
   * @throws IOException if the address cannot be listened on; its message says which and why.
   */
  Listener(
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
            .connectionOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK);
    if (transport.endsSidesApart(address)) {
      acceptor.connectionOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    }
    if (address instanceof InetSocketAddress) {
      acceptor.option(ChannelOption.SO_REUSEADDR, true);
      acceptor.connectionOption(ChannelOption.TCP_NODELAY, true);
    }
    try {
      socket = ListeningSocket.bind(acceptor, transport, address);
    } catch (IOException refused) {
      throw new IOException(text(address) + ": " + refused.getMessage(), refused);
    }
  }

  private static String text(SocketAddress address) {
    return address instanceof InetSocketAddress inet
        ? inet.getHostString() + ':' + inet.getPort()
        : "unix:" + address;
  }

  /** The listening socket. */
  Channel channel() {
    return socket.channel();
  }

  /** The address that is listened on; with the actual port if the settings have port 0. */
  SocketAddress address() {
    return socket.address();
  }

  /** Accepts no more clients. Open connections stay. */
  void close() {
    socket.close();
  }
}

package dev.weir.proxy.admin;

import dev.weir.proxy.loop.ListeningSocket;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.metrics.LatencyHistory;
import dev.weir.proxy.metrics.Metrics;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Serves the admin pages on an event loop of its own. Started once, closed once; both from any
 * thread but its own.
 */
public final class AdminServer implements AutoCloseable {
  static final int MAX_CONNECTIONS = 64;
  private static final int MAX_BODY_BYTES = 64 << 10;
  private static final int READ_TIMEOUT_SECONDS = 30;
  private static final int STOP_TIMEOUT_SECONDS = 5;

  private final SocketAddress address;
  private final AdminHosts hosts;
  private final Pages pages;
  private EventLoopGroup loop;
  private ListeningSocket listener;

  /** Connections open now. Used by the event loop only. */
  private int connectionCount;

  /**
   * A server that does not listen yet.
   *
   * @param address port 0 for any free one.
   * @param hostNames by which requests may call it, beside loopback's; see {@link AdminHosts}.
   * @param ready whether the proxy takes traffic; asked on the server's thread, must not block.
   * @throws IllegalArgumentException for an address that others than this machine can reach.
   */
  public AdminServer(
      SocketAddress address, List<String> hostNames, Metrics metrics, BooleanSupplier ready) {
    this.address = AdminAddress.check(address);
    this.hosts = new AdminHosts(this.address, hostNames);
    this.pages = new Pages(metrics, ready);
  }

  /**
   * Listens.
   *
   * @throws AdminBindException where it cannot; nothing is left running then.
   */
  public void start() {
    loop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("weir-admin", true), NioIoHandler.newFactory());
    boolean isUnix = address instanceof UnixDomainSocketAddress;
    Class<? extends ServerChannel> channel =
        isUnix ? NioServerDomainSocketChannel.class : NioServerSocketChannel.class;
    ServerBootstrap server =
        new ServerBootstrap().group(loop).channel(channel).childHandler(new Connection());
    if (!isUnix) {
      // Otherwise a restart would wait for the last one's connections to leave TIME_WAIT.
      server.option(ChannelOption.SO_REUSEADDR, true);
    }
    try {
      listener = ListeningSocket.bind(server, Transport.NIO, address);
    } catch (IOException refused) {
      close();
      throw new AdminBindException(
          AdminAddress.text(address) + ": " + refused.getMessage(), refused);
    }
    // On the loop that shows them.
    loop.scheduleAtFixedRate(
        pages::endSlice, LatencyHistory.SLICE_NS, LatencyHistory.SLICE_NS, TimeUnit.NANOSECONDS);
  }

  /** The address on which the server listens, with the port it was given. */
  public SocketAddress boundAddress() {
    return listener.address();
  }

  /** Stops listening and ends every connection. Does nothing when it does not listen. */
  @Override
  public void close() {
    if (loop != null) {
      if (listener != null) {
        listener.close();
        listener = null;
      }
      loop.shutdownGracefully(0, STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
      loop = null;
    }
  }

  private final class Connection extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel channel) {
      if (connectionCount >= MAX_CONNECTIONS) {
        channel.close();
        return;
      }
      connectionCount++;
      channel.closeFuture().addListener(closed -> connectionCount--);
      channel
          .pipeline()
          .addLast(new ReadTimeoutHandler(READ_TIMEOUT_SECONDS))
          .addLast(new HttpServerCodec())
          .addLast(new HttpObjectAggregator(MAX_BODY_BYTES))
          .addLast(new FlowControlHandler())
          .addLast(new AdminHandler(pages, hosts));
    }
  }
}

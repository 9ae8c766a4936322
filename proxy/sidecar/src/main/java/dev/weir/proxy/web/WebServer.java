package dev.weir.proxy.web;

import dev.weir.proxy.loop.Acceptor;
import dev.weir.proxy.loop.Addresses;
import dev.weir.proxy.loop.ChannelSetUp;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.loop.ListeningSocket;
import dev.weir.proxy.loop.LoopEnd;
import dev.weir.proxy.loop.LoopGuard;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.metrics.LatencyHistory;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.tls.ServerTls;
import dev.weir.proxy.web.Route.Access;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The web server for operators, on Netty's codec and an event loop of its own: the {@link Routes}
 * on the admin port, for this machine; those for monitoring also on the monitoring port, for other
 * machines. Started once, closed once; both from any thread but its own.
 */
public final class WebServer implements AutoCloseable {
  static final int MAX_CONNECTIONS = 64;
  private static final int READ_TIMEOUT_SECONDS = 30;

  /** The longest request line: /explain takes a whole request as parameters, with a token. */
  private static final int MAX_LINE_BYTES = 16 << 10;

  private static final String LOCAL =
      "a loopback address or a Unix-domain socket, for there are no admin-tokens";

  private static final int MAX_FIELDS_BYTES = 8 << 10;
  private static final int MAX_CHUNK_BYTES = 8 << 10;

  private final SocketAddress admin;
  private final SocketAddress monitoring;
  private final WebHosts adminHosts;
  private final Pages pages;
  private final Routes routes;

  /** Null while both ports speak in the clear. */
  private Function<EventLoop, ServerTls> encryption;

  private EventLoopGroup loop;
  private LoopGuard guard;
  private ListeningSocket adminListener;
  private ListeningSocket monitoringListener;

  /**
   * A server that does not listen yet.
   *
   * @param admin port 0 for any free one; null for none.
   * @param hostNames by which requests may call that, beside loopback's; see {@link WebHosts}.
   * @param monitoring port 0 for any free one; null for none.
   * @param ready whether the proxy takes traffic; asked on the server's thread, must not block.
   * @param fault why the process is not alive, null if it is; asked as {@code ready} is.
   * @throws IllegalArgumentException if others than this machine can reach the admin port, or a
   *     name does not resolve.
   */
  public WebServer(
      SocketAddress admin,
      List<String> hostNames,
      SocketAddress monitoring,
      Metrics metrics,
      BooleanSupplier ready,
      Supplier<String> fault) {
    this(admin, hostNames, monitoring, metrics, ready, fault, List::of, null);
  }

  /**
   * A server with further pages.
   *
   * @param more rows of the table of routes, behind its own, made for the first request that needs
   *     them.
   * @param authenticator asked about requests that need a role; null if no row does.
   * @throws IllegalArgumentException as that of the other constructor.
   */
  public WebServer(
      SocketAddress admin,
      List<String> hostNames,
      SocketAddress monitoring,
      Metrics metrics,
      BooleanSupplier ready,
      Supplier<String> fault,
      Supplier<List<Route>> more,
      Authenticator authenticator) {
    this.admin = resolved(admin);
    boolean isOpen = !isOfThisMachine(this.admin);
    if (isOpen && (authenticator == null || !authenticator.isForOtherMachines())) {
      throw new IllegalArgumentException(Addresses.text(this.admin) + " (expected: " + LOCAL + ")");
    }
    this.monitoring = resolved(monitoring);
    adminHosts = WebHosts.of(this.admin, hostNames);
    pages = new Pages(metrics, ready, fault);
    routes =
        new Routes(
            guarded(pages.routes(), isOpen), () -> guarded(more.get(), isOpen), authenticator);
  }

  private static List<Route> guarded(List<Route> rows, boolean isOpen) {
    return isOpen ? rows.stream().map(Route::guarded).toList() : rows;
  }

  /** An address with its host name looked up; null for none. */
  private static SocketAddress resolved(SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet) || !inet.isUnresolved()) {
      return address;
    }
    try {
      return new InetSocketAddress(InetAddress.getByName(inet.getHostString()), inet.getPort());
    } catch (UnknownHostException unknown) {
      throw new IllegalArgumentException(
          Addresses.text(address) + " (expected: a host name that resolves)", unknown);
    }
  }

  private static boolean isOfThisMachine(SocketAddress address) {
    return !(address instanceof InetSocketAddress inet) || inet.getAddress().isLoopbackAddress();
  }

  /**
   * Has the admin port speak TLS, before it listens; the monitoring port speaks in the clear.
   *
   * @param tls of the server's event loop, which it is told of before connections come.
   */
  public void encrypt(Function<EventLoop, ServerTls> tls) {
    encryption = tls;
  }

  /**
   * Listens.
   *
   * @throws IOException if an address cannot be listened on; its message says which and why, and
   *     nothing is left running.
   */
  public void start() throws IOException {
    loop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("weir-admin", true), NioIoHandler.newFactory());
    guard = new LoopGuard(loop);
    ServerTls tls = encryption == null ? null : encryption.apply(loop.next());
    adminListener = listen(admin, new Connections(Access.ADMIN, adminHosts, tls));
    monitoringListener = listen(monitoring, new Connections(Access.MONITORING, WebHosts.ANY, null));
    // On the loop that shows them.
    loop.scheduleAtFixedRate(
        pages::endSlice, LatencyHistory.SLICE_NS, LatencyHistory.SLICE_NS, TimeUnit.NANOSECONDS);
  }

  /** Null where there is no address. */
  private ListeningSocket listen(SocketAddress address, Connections connections)
      throws IOException {
    if (address == null) {
      return null;
    }
    boolean isUnix = address instanceof UnixDomainSocketAddress;
    Class<? extends ServerChannel> channel =
        isUnix ? NioServerDomainSocketChannel.class : NioServerSocketChannel.class;
    Acceptor server = new Acceptor(loop, channel, connections);
    if (!isUnix) {
      // Otherwise a restart would wait for the last one's connections to leave TIME_WAIT.
      server.option(ChannelOption.SO_REUSEADDR, true);
    }
    try {
      return ListeningSocket.bind(server, Transport.NIO, address);
    } catch (IOException refused) {
      close();
      throw new IOException(Addresses.text(address) + ": " + refused.getMessage(), refused);
    }
  }

  /** The address of the admin port, with the port it was given; null for none. */
  public SocketAddress adminAddress() {
    return adminListener == null ? null : adminListener.address();
  }

  /** The address of the monitoring port, with the port it was given; null for none. */
  public SocketAddress monitoringAddress() {
    return monitoringListener == null ? null : monitoringListener.address();
  }

  /** Stops listening and ends every connection. Does nothing when it does not listen. */
  @Override
  public void close() {
    if (loop != null) {
      if (adminListener != null) {
        adminListener.close();
        adminListener = null;
      }
      if (monitoringListener != null) {
        monitoringListener.close();
        monitoringListener = null;
      }
      guard.leave();
      LoopEnd.await(loop);
      loop = null;
    }
  }

  /** The connections of one port, which are bounded by themselves, and shared among addresses. */
  private final class Connections extends ChannelSetUp {
    private final Access access;
    private final WebHosts hosts;

    /** Null if they speak in the clear. */
    private final ServerTls tls;

    private final ClientShares connections = new ClientShares(MAX_CONNECTIONS);

    Connections(Access access, WebHosts hosts, ServerTls tls) {
      this.access = access;
      this.hosts = hosts;
      this.tls = tls;
    }

    @Override
    protected void setUp(Channel channel) {
      ClientShares.Share share = connections.of(address(channel));
      if (!share.take(1)) {
        channel.close();
        return;
      }
      channel.closeFuture().addListener(closed -> share.give(1));
      RequestDeadline deadline = new RequestDeadline(READ_TIMEOUT_SECONDS);
      ChannelPipeline pipeline = channel.pipeline();
      pipeline.addLast(deadline).addLast(new ReadTimeoutHandler(READ_TIMEOUT_SECONDS));
      if (tls != null) {
        pipeline.addLast(tls.newHandler(channel)); // the deadline holds for its handshake too
      }
      pipeline
          .addLast(new HttpServerCodec(MAX_LINE_BYTES, MAX_FIELDS_BYTES, MAX_CHUNK_BYTES))
          .addLast(new FlowControlHandler()) // before all that answers, so that answers keep order
          .addLast(new WebHandler(hosts, routes, access, address(channel), deadline));
    }

    /** The client's address; null for a Unix socket. */
    private static InetAddress address(Channel channel) {
      return channel.remoteAddress() instanceof InetSocketAddress inet ? inet.getAddress() : null;
    }
  }
}

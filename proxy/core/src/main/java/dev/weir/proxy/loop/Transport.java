package dev.weir.proxy.loop;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.channel.uring.IoUringDomainSocketChannel;
import io.netty.channel.uring.IoUringServerDomainSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The kernel interface for input and output. */
public enum Transport {
  IO_URING(
      IoUringServerSocketChannel.class,
      IoUringSocketChannel.class,
      IoUringServerDomainSocketChannel.class,
      IoUringDomainSocketChannel.class) {
    @Override
    Throwable unavailability() {
      // A multishot accept goes on when the listener is told to stop: with no descriptors left it
      // fails, and is started again, tens of thousands of times a second. Read when IoUring loads.
      if (System.getProperty(MULTISHOT_ACCEPT) == null) {
        System.setProperty(MULTISHOT_ACCEPT, "false");
      }
      return IoUring.unavailabilityCause();
    }

    @Override
    public IoHandlerFactory handlerFactory() {
      return new IoUringTurns();
    }
  },
  EPOLL(
      EpollServerSocketChannel.class,
      EpollSocketChannel.class,
      EpollServerDomainSocketChannel.class,
      EpollDomainSocketChannel.class) {
    @Override
    Throwable unavailability() {
      return Epoll.unavailabilityCause();
    }

    @Override
    public IoHandlerFactory handlerFactory() {
      return new EpollInterest();
    }
  },
  NIO(
      NioServerSocketChannel.class,
      NioSocketChannel.class,
      NioServerDomainSocketChannel.class,
      NioDomainSocketChannel.class) {
    @Override
    Throwable unavailability() {
      return null;
    }

    @Override
    public IoHandlerFactory handlerFactory() {
      return NioIoHandler.newFactory();
    }
  };

  private static final Logger LOG = LoggerFactory.getLogger(Transport.class);
  private static final String MULTISHOT_ACCEPT = "io.netty.iouring.acceptMultiShotEnabled";

  private final Class<? extends ServerChannel> server;
  private final Class<? extends Channel> client;
  private final Class<? extends ServerChannel> domainServer;
  private final Class<? extends Channel> domainClient;

  Transport(
      Class<? extends ServerChannel> server,
      Class<? extends Channel> client,
      Class<? extends ServerChannel> domainServer,
      Class<? extends Channel> domainClient) {
    this.server = server;
    this.client = client;
    this.domainServer = domainServer;
    this.domainClient = domainClient;
  }

  /**
   * The transport of a kind; for {@link TransportKind#AUTO} the first that works on this machine.
   *
   * @throws IllegalStateException if the wanted one does not work.
   */
  public static Transport of(TransportKind kind) {
    return switch (kind) {
      case IO_URING -> IO_URING.required();
      case EPOLL -> EPOLL.required();
      case NIO -> NIO;
      case AUTO -> best();
    };
  }

  /** The first that works; the log says why others do not. */
  private static Transport best() {
    for (Transport transport : values()) {
      Throwable cause = transport.unavailability();
      if (cause == null) {
        return transport;
      }
      LOG.info("{}", transport.notAvailable(cause));
    }
    throw new AssertionError("NIO is part of Java");
  }

  private Transport required() {
    Throwable cause = unavailability();
    if (cause != null) {
      throw new IllegalStateException(notAvailable(cause), cause);
    }
    return this;
  }

  private String notAvailable(Throwable cause) {
    return "transport: " + this + " is not available on this machine: " + rootMessage(cause);
  }

  private static String rootMessage(Throwable cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage();
  }

  /** Why it does not work on this machine; null if it does. */
  abstract Throwable unavailability();

  /**
   * Sets after how many milliseconds without an acknowledgement a TCP connection ends
   * (TCP_USER_TIMEOUT); null if this transport does not have the option.
   */
  public ChannelOption<Integer> silentHostMs() {
    return switch (this) {
      case IO_URING -> IoUringChannelOption.TCP_USER_TIMEOUT;
      case EPOLL -> EpollChannelOption.TCP_USER_TIMEOUT;
      case NIO -> null;
    };
  }

  public abstract IoHandlerFactory handlerFactory();

  public Class<? extends ServerChannel> serverChannel(SocketAddress address) {
    return address instanceof UnixDomainSocketAddress ? domainServer : server;
  }

  public Class<? extends Channel> clientChannel(SocketAddress address) {
    return address instanceof UnixDomainSocketAddress ? domainClient : client;
  }

  /**
   * Whether each side of a connection can be closed by itself. Netty closes a Unix socket when
   * either side ends, except with epoll.
   */
  public boolean endsSidesApart(SocketAddress address) {
    return this == EPOLL || !(address instanceof UnixDomainSocketAddress);
  }

  /** The address in the form that this transport's channels take. */
  public SocketAddress adapt(SocketAddress address) {
    return this != NIO && address instanceof UnixDomainSocketAddress unix
        ? new DomainSocketAddress(unix.getPath().toString())
        : address;
  }

  /** The name that {@link TransportKind} gives it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

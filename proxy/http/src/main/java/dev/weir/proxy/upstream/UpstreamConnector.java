package dev.weir.proxy.upstream;

import dev.weir.proxy.log.SystemText;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.loop.ChannelSetUp;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.tls.HandshakeOutcome;
import dev.weir.proxy.tls.UpstreamTls;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Opens connections to the service: tries its addresses in turn, beginning with the one that worked
 * last. The result is passed on in a task of its own, never within the call that asked.
 */
public final class UpstreamConnector {
  /**
   * TCP_USER_TIMEOUT: ends a connection to a host that is gone, as many streams wait on it, some
   * without a deadline.
   */
  static final int SILENT_HOST_MS = 20_000;

  /** The system's message for ECONNREFUSED, with every transport. */
  private static final String REFUSED = "Connection refused";

  private final UpstreamLoop loop;
  private final Bootstrap bootstrap;
  private final Function<Channel, ChannelHandler> handlers;

  /** The index of the address that was connected to last. */
  private int addressIndex;

  /**
   * @param handlers makes the handler of each channel.
   */
  public UpstreamConnector(
      UpstreamLoop loop, UpstreamEndpoint endpoint, Function<Channel, ChannelHandler> handlers) {
    this.loop = loop;
    this.handlers = handlers;
    UpstreamSettings settings = loop.settings();
    UpstreamTls tls = endpoint.tls();
    long connectTimeoutMs = TimeUnit.NANOSECONDS.toMillis(settings.timeouts().connectNs());
    bootstrap =
        new Bootstrap()
            .group(loop.eventLoop())
            .channelFactory(endpoint.channels())
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                (int) Math.max(1, Math.min(connectTimeoutMs, Integer.MAX_VALUE)))
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, ChannelIo.WATER_MARK)
            .handler(
                new ChannelSetUp() {
                  @Override
                  protected void setUp(Channel channel) {
                    if (tls == null) {
                      channel.pipeline().addLast(handlers.apply(channel));
                    } else {
                      SslHandler handler = tls.newHandler(channel.alloc());
                      handler.setHandshakeTimeoutMillis(connectTimeoutMs);
                      channel.pipeline().addLast(handler, new UpstreamHandshake());
                    }
                  }
                });
    if (settings.address() instanceof InetSocketAddress) {
      bootstrap.option(ChannelOption.TCP_NODELAY, true);
      ChannelOption<Integer> silentHostMs = endpoint.silentHostMs();
      if (silentHostMs != null && settings.protocol() != UpstreamProtocol.HTTP1) {
        bootstrap.option(silentHostMs, SILENT_HOST_MS);
      }
    }
  }

  /** Opens a connection. */
  public void connect(Attempt attempt) {
    attempt.begin(loop.addresses().current());
    next(attempt);
  }

  private void next(Attempt attempt) {
    int index = (addressIndex + attempt.triedCount) % attempt.targets.length;
    ChannelFuture future = bootstrap.connect(attempt.targets[index]);
    if (future.isDone()) { // one without a descriptor has no event loop to be told on either
      loop.eventLoop().execute(() -> tried(attempt, future, index));
    } else {
      future.addListener(done -> tried(attempt, future, index));
    }
  }

  private void tried(Attempt attempt, ChannelFuture future, int index) {
    if (future.isSuccess()) {
      addressIndex = index;
      made(attempt, future.channel());
    } else if (++attempt.triedCount < attempt.targets.length && attempt.isWanted()) {
      next(attempt);
    } else {
      loop.addresses()
          .incidents()
          .unreachable
          .noticed(text(future.cause(), attempt.targets[index]));
      loop.addresses().failed();
      attempt.failed(why(future.cause(), loop.addresses().resolves()));
    }
  }

  /**
   * The reason that a client is told for a connection that could not be made.
   *
   * @param resolves whether the service's name was known when it was looked up last.
   */
  static RefusalReason why(Throwable failure, boolean resolves) {
    if (!resolves) {
      return RefusalReason.UPSTREAM_NAME_UNRESOLVED;
    }
    if (failure instanceof ConnectTimeoutException) {
      return RefusalReason.UPSTREAM_CONNECT_TIMEOUT;
    }
    String text = failure.getMessage();
    return failure instanceof ConnectException && text != null && text.contains(REFUSED)
        ? RefusalReason.UPSTREAM_CONNECTION_REFUSED
        : RefusalReason.UPSTREAM_UNREACHABLE;
  }

  private void made(Attempt attempt, Channel channel) {
    UpstreamHandshake handshake = channel.pipeline().get(UpstreamHandshake.class);
    if (handshake == null) {
      loop.addresses().incidents().unreachable.ended();
      attempt.connected(channel);
    } else {
      long startMs = System.currentTimeMillis();
      handshake.tell(
          (protocol, failure) -> {
            count(channel, startMs, failure);
            handshaken(attempt, channel, protocol, failure);
          });
    }
  }

  private void count(Channel channel, long startMs, Throwable failure) {
    SslHandler handler = channel.pipeline().get(SslHandler.class);
    loop.observer()
        .upstreamHandshakeEnded(
            failure == null && handler != null
                ? HandshakeOutcome.of(handler.engine(), startMs)
                : HandshakeOutcome.of(failure));
  }

  private void handshaken(Attempt attempt, Channel channel, String protocol, Throwable failure) {
    if (failure != null) {
      String text = "no TLS with " + channel.remoteAddress() + ": " + reason(failure);
      loop.addresses().incidents().unreachable.noticed(text);
      loop.addresses().failed();
      attempt.failed(
          failure instanceof SslHandshakeTimeoutException
              ? RefusalReason.UPSTREAM_CONNECT_TIMEOUT
              : RefusalReason.UPSTREAM_TLS_FAILED);
      return;
    }
    loop.addresses().incidents().unreachable.ended();
    if (attempt.speaks(protocol)) {
      channel.pipeline().addLast(handlers.apply(channel));
      attempt.connected(channel);
    } else {
      attempt.speaksOther(channel);
    }
  }

  /** The system's words, and behind them the address, which not every transport names. */
  private static String text(Throwable failure, SocketAddress target) {
    String text = SystemText.of(failure);
    String address = target.toString();
    return text.endsWith(address) ? text : text + ": " + address;
  }

  /** The message of the deepest cause: the outer ones only say that TLS has failed. */
  static String reason(Throwable failure) {
    String reason = failure.toString();
    for (Throwable each = failure; each != null; each = each.getCause()) {
      reason = each.getMessage() == null ? reason : each.getMessage();
    }
    return reason;
  }

  /** One connection that is being opened; exactly one of its callbacks is called in the end. */
  public abstract static class Attempt {
    private SocketAddress[] targets;
    private int triedCount;

    /** Sets the addresses to be tried. */
    public final void begin(SocketAddress[] addresses) {
      targets = addresses;
    }

    /** The addresses of which one is connected to. */
    public final SocketAddress[] targets() {
      return targets;
    }

    /** Whether a request still waits, so that it is worth trying the next address. */
    public abstract boolean isWanted();

    /**
     * Whether the protocol that ALPN agreed on is the wanted one.
     *
     * @param protocol as ALPN names it; null if none was agreed on.
     */
    public boolean speaks(String protocol) {
      return true;
    }

    /** The connection is open, and speaks another protocol. */
    public void speaksOther(Channel channel) {
      throw new IllegalStateException("all protocols are spoken");
    }

    /** The connection is open. */
    public abstract void connected(Channel channel);

    /** None of the addresses could be connected to. */
    public abstract void failed(RefusalReason reason);
  }
}

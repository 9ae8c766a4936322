package dev.weir.proxy.loop;

import dev.weir.proxy.log.Incident;
import dev.weir.proxy.log.SystemText;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens, and assigns each accepted connection to an event loop of a group, in turn. Does what
 * Netty's ServerBootstrap does with a few options, by handlers that cost a start less (see {@link
 * InboundHandler}).
 */
public final class Acceptor extends InboundHandler {
  /**
   * How long nothing is accepted after accepting has failed, for instance for want of a file
   * descriptor.
   */
  private static final long PAUSE_SECONDS = 1;

  private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

  private final EventLoopGroup group;
  private final Class<? extends ServerChannel> channelClass;
  private final ChannelSetUp setUp;
  private final Map<ChannelOption<?>, Object> options = new HashMap<>();
  private final Map<ChannelOption<?>, Object> connectionOptions = new HashMap<>();

  /** Accepting fails; the cause names the address. */
  private final Incident failing =
      new Incident(
          LOG,
          "accepting connections",
          "nothing is accepted for " + PAUSE_SECONDS + " s after each failure",
          "has not failed for a minute",
          Incident.Ends.BY_QUIET);

  /**
   * @param channelClass of the listening channel.
   * @param setUp of each connection.
   */
  public Acceptor(
      EventLoopGroup group, Class<? extends ServerChannel> channelClass, ChannelSetUp setUp) {
    this.group = group;
    this.channelClass = channelClass;
    this.setUp = setUp;
  }

  /** Sets an option of the listening channel. */
  public <T> Acceptor option(ChannelOption<T> option, T value) {
    options.put(option, value);
    return this;
  }

  /** Sets an option of each connection. */
  public <T> Acceptor connectionOption(ChannelOption<T> option, T value) {
    connectionOptions.put(option, value);
    return this;
  }

  /**
   * Listens; once, on any thread that is no event loop of the group.
   *
   * @throws IOException if that fails; its message says why, and nothing is left open.
   */
  Channel bind(SocketAddress address) throws IOException {
    Channel channel = newChannel();
    set(options, channel);
    channel.pipeline().addLast(this);
    require(group.register(channel));
    require(channel.bind(address).addListener(ChannelFutureListener.CLOSE_ON_FAILURE));
    return channel;
  }

  private Channel newChannel() throws IOException {
    try {
      return channelClass.getDeclaredConstructor().newInstance();
    } catch (InvocationTargetException e) {
      Throwable failure = e.getCause(); // as with no descriptor left
      throw new IOException(failure.getMessage(), failure);
    } catch (ReflectiveOperationException missing) {
      throw new IllegalStateException(
          channelClass + " (expected: made without arguments)", missing);
    }
  }

  /** Throws the cause of a failure; Netty itself has closed the socket. */
  private static void require(ChannelFuture done) throws IOException {
    if (!done.awaitUninterruptibly().isSuccess()) {
      throw new IOException(done.cause().getMessage(), done.cause());
    }
  }

  @SuppressWarnings("unchecked") // by option and connectionOption, each value is its option's
  private static void set(Map<ChannelOption<?>, Object> options, Channel channel) {
    options.forEach(
        (option, value) -> channel.config().setOption((ChannelOption<Object>) option, value));
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    Channel connection = (Channel) message;
    try {
      connection.pipeline().addLast(setUp);
      set(connectionOptions, connection);
      group
          .register(connection)
          .addListener(
              registered -> {
                if (!registered.isSuccess()) {
                  connection.unsafe().closeForcibly();
                }
              });
    } catch (RuntimeException e) {
      // A socket that its peer has reset may take no option: no reason to accept nothing else.
      LOG.debug("A connection could not be set up", e);
      connection.unsafe().closeForcibly();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (!(cause instanceof IOException)) {
      InternalErrors.caught("the accepting of a connection", cause);
    }
    Channel channel = context.channel();
    failing.noticed(channel.localAddress() + ": " + SystemText.of(cause));
    if (channel.config().isAutoRead()) {
      channel.config().setAutoRead(false);
      channel
          .eventLoop()
          .schedule(() -> channel.config().setAutoRead(true), PAUSE_SECONDS, TimeUnit.SECONDS);
    }
  }
}

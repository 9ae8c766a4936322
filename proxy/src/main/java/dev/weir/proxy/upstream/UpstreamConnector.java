package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.request.RefusalReason;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Makes connections to the service: tries its addresses in turn, from the one that did last. What
 * becomes of an attempt is told in a task of its own, never within the call that asked.
 */
final class UpstreamConnector {
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(32 * 1024, 128 * 1024);

  private final UpstreamAddresses addresses;
  private final EventLoop eventLoop;
  private final Bootstrap bootstrap;

  /** Which of the service's addresses was connected to last. */
  private int addressIndex;

  /**
   * @param initialiser gives each channel its handlers, before it is connected.
   */
  UpstreamConnector(
      UpstreamSettings settings,
      UpstreamAddresses addresses,
      Transport transport,
      EventLoop eventLoop,
      Consumer<Channel> initialiser) {
    this.addresses = addresses;
    this.eventLoop = eventLoop;
    long connectTimeoutMs = TimeUnit.NANOSECONDS.toMillis(settings.timeouts().connectNs());
    bootstrap =
        new Bootstrap()
            .group(eventLoop)
            .channel(transport.clientChannel(settings.address()))
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                (int) Math.max(1, Math.min(connectTimeoutMs, Integer.MAX_VALUE)))
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    initialiser.accept(channel);
                  }
                });
    if (settings.address() instanceof InetSocketAddress) {
      bootstrap.option(ChannelOption.TCP_NODELAY, true);
    }
  }

  /** Has a connection made. */
  void connect(Attempt attempt) {
    attempt.begin(addresses.current());
    next(attempt);
  }

  private void next(Attempt attempt) {
    int index = (addressIndex + attempt.triedCount) % attempt.targets.length;
    ChannelFuture future = bootstrap.connect(attempt.targets[index]);
    if (future.isDone()) { // one without a descriptor has no event loop to be told on either
      eventLoop.execute(() -> tried(attempt, future, index));
    } else {
      future.addListener(done -> tried(attempt, future, index));
    }
  }

  private void tried(Attempt attempt, ChannelFuture future, int index) {
    if (future.isSuccess()) {
      addressIndex = index;
      attempt.connected(future.channel());
    } else if (++attempt.triedCount < attempt.targets.length && attempt.isWanted()) {
      next(attempt);
    } else {
      addresses.failed();
      attempt.failed(
          future.cause() instanceof ConnectTimeoutException
              ? RefusalReason.UPSTREAM_CONNECT_TIMEOUT
              : RefusalReason.UPSTREAM_UNREACHABLE);
    }
  }

  /** One connection that is being made, and who is told what becomes of it: one of the two. */
  abstract static class Attempt {
    private SocketAddress[] targets;
    private int triedCount;

    /** The addresses to be tried. */
    final void begin(SocketAddress[] addresses) {
      targets = addresses;
    }

    /** The addresses of which one is connected to. */
    final SocketAddress[] targets() {
      return targets;
    }

    /** Whether anybody still waits, so that it is worth trying the next address. */
    abstract boolean isWanted();

    /** The connection has been made. */
    abstract void connected(Channel channel);

    /** None of the addresses could be connected to. */
    abstract void failed(RefusalReason reason);
  }
}

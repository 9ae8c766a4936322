package dev.weir.proxy.upstream;

import dev.weir.proxy.http.ProxiedRequest;
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
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Makes the connections of one {@link UpstreamPool}: tries the service's addresses in turn, from
 * the one that did last. What becomes of an attempt is told in a task of its own, never within the
 * call that asked.
 */
final class UpstreamConnector {
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(32 * 1024, 128 * 1024);

  private final UpstreamPool pool;
  private final UpstreamAddresses addresses;
  private final EventLoop eventLoop;
  private final Bootstrap bootstrap;
  private final Map<ProxiedRequest, Attempt> attempts = new IdentityHashMap<>();

  /** Which of the service's addresses was connected to last. */
  private int addressIndex;

  UpstreamConnector(
      UpstreamPool pool,
      UpstreamSettings settings,
      UpstreamAddresses addresses,
      Transport transport,
      EventLoop eventLoop) {
    this.pool = pool;
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
                    channel.pipeline().addLast(new UpstreamConnection(pool, channel));
                  }
                });
    if (settings.address() instanceof InetSocketAddress) {
      bootstrap.option(ChannelOption.TCP_NODELAY, true);
    }
  }

  /** Has a connection made for a request of that client. */
  void connect(ProxiedRequest request, long client) {
    Attempt attempt = new Attempt(request, client, addresses.current());
    attempts.put(request, attempt);
    attempt.next();
  }

  /** The request no longer waits; false if it did not. A connection that is made for it is idle. */
  boolean forget(ProxiedRequest request) {
    Attempt forgotten = attempts.remove(request);
    if (forgotten == null) {
      return false;
    }
    forgotten.request = null;
    return true;
  }

  /** One connection that is being made. */
  private final class Attempt {
    private final long client;
    private final SocketAddress[] targets;
    private int triedCount;

    /** Null if it no longer waits. */
    private ProxiedRequest request;

    Attempt(ProxiedRequest request, long client, SocketAddress[] targets) {
      this.request = request;
      this.client = client;
      this.targets = targets;
    }

    void next() {
      int index = (addressIndex + triedCount) % targets.length;
      ChannelFuture future = bootstrap.connect(targets[index]);
      if (future.isDone()) { // one without a descriptor has no event loop to be told on either
        eventLoop.execute(() -> tried(future, index));
      } else {
        future.addListener(done -> tried(future, index));
      }
    }

    private void tried(ChannelFuture future, int index) {
      if (future.isSuccess()) {
        addressIndex = index;
        pool.connected(take(), client, future.channel(), targets);
      } else if (++triedCount < targets.length && request != null) {
        next();
      } else {
        addresses.failed();
        pool.notConnected(
            take(),
            client,
            future.cause() instanceof ConnectTimeoutException
                ? RefusalReason.UPSTREAM_CONNECT_TIMEOUT
                : RefusalReason.UPSTREAM_UNREACHABLE);
      }
    }

    private ProxiedRequest take() {
      if (request != null) {
        attempts.remove(request);
      }
      return request;
    }
  }
}

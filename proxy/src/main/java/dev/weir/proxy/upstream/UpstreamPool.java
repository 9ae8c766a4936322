package dev.weir.proxy.upstream;

import dev.weir.proxy.http1.Origin;
import dev.weir.proxy.http1.ResponseHead;
import dev.weir.proxy.http1.ResponseSink;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.TrafficObserver;
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
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The upstream connections of one event loop. The one used last is used next, so that as few as
 * possible are kept warm and the rest go idle. Not thread-safe.
 */
public final class UpstreamPool implements Origin {
  /** The most fields in a response's head. */
  private static final int MAX_FIELD_COUNT = 256;

  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(32 * 1024, 128 * 1024);

  private final UpstreamSettings settings;
  private final LoopClock clock;
  private final Deadlines deadlines;
  private final TrafficObserver observer;
  private final Bootstrap bootstrap;
  private final SocketAddress address;
  private final ResponseHead head = new ResponseHead(MAX_FIELD_COUNT);
  private final UnsafeBuffer window = new UnsafeBuffer(0, 0);
  private final ArrayDeque<UpstreamConnection> idle = new ArrayDeque<>();
  private final Set<ResponseSink> connecting = Collections.newSetFromMap(new IdentityHashMap<>());
  private int connectionCount;

  /**
   * @param settings its address resolved.
   */
  public UpstreamPool(
      UpstreamSettings settings,
      Transport transport,
      EventLoop eventLoop,
      LoopClock clock,
      Deadlines deadlines,
      TrafficObserver observer) {
    this.settings = settings;
    this.clock = clock;
    this.deadlines = deadlines;
    this.observer = observer;
    this.address = transport.adapt(settings.address());
    long connectTimeoutMs = TimeUnit.NANOSECONDS.toMillis(settings.connectTimeoutNs());
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
                    channel.pipeline().addLast(new UpstreamConnection(UpstreamPool.this, channel));
                  }
                });
    if (settings.address() instanceof InetSocketAddress) {
      bootstrap.option(ChannelOption.TCP_NODELAY, true);
    }
  }

  @Override
  public void open(ResponseSink client) {
    UpstreamConnection connection = idle.pollFirst();
    while (connection != null && !connection.isUsable()) {
      connection = idle.pollFirst();
    }
    if (connection != null) {
      connection.start(client);
    } else if (connectionCount == settings.maxConnectionsPerLoop()) {
      client.upstreamFailed(RefusalReason.UPSTREAM_BUSY);
    } else {
      connect(client);
    }
  }

  private void connect(ResponseSink client) {
    connectionCount++;
    connecting.add(client);
    ChannelFuture future = bootstrap.connect(address);
    future.addListener(
        done -> {
          boolean awaited = connecting.remove(client);
          if (!done.isSuccess()) {
            connectionCount--;
            if (awaited) {
              boolean timeout = done.cause() instanceof ConnectTimeoutException;
              client.upstreamFailed(
                  timeout
                      ? RefusalReason.UPSTREAM_CONNECT_TIMEOUT
                      : RefusalReason.UPSTREAM_UNREACHABLE);
            }
            return;
          }
          observer.upstreamOpened();
          UpstreamConnection connection = future.channel().pipeline().get(UpstreamConnection.class);
          if (connection == null) {
            if (awaited) { // closed within the same turn, and closed() knows of no client
              client.upstreamFailed(RefusalReason.UPSTREAM_CLOSED);
            }
            return;
          }
          if (awaited) {
            connection.start(client);
          } else {
            release(connection);
          }
        });
  }

  @Override
  public void forget(ResponseSink client) {
    connecting.remove(client);
  }

  /** Closes what is idle: the process is ending. */
  public void closeIdle() {
    for (UpstreamConnection connection : idle) {
      connection.close();
    }
    idle.clear();
  }

  /** Takes a connection back whose exchange has ended well. */
  void release(UpstreamConnection connection) {
    connection.idleUntil(clock.nowNs() + settings.idleTimeoutNs());
    idle.addFirst(connection);
  }

  void closed(UpstreamConnection connection) {
    connectionCount--;
    idle.remove(connection);
    observer.upstreamClosed();
  }

  LoopClock clock() {
    return clock;
  }

  Deadlines deadlines() {
    return deadlines;
  }

  /** Scans the heads of all connections of this loop, one at a time. */
  ResponseHead head() {
    return head;
  }

  UnsafeBuffer window() {
    return window;
  }

  long responseTimeoutNs() {
    return settings.responseTimeoutNs();
  }
}

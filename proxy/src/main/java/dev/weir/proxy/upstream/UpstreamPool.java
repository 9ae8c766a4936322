package dev.weir.proxy.upstream;

import dev.weir.proxy.http1.Origin;
import dev.weir.proxy.http1.ResponseHead;
import dev.weir.proxy.http1.ResponseSink;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.TrafficObserver;
import dev.weir.proxy.upstream.UpstreamConnection.Use;
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
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The upstream connections of one event loop. The one used last is used next, so that as few as
 * possible are kept warm and the rest go idle. Not thread-safe.
 *
 * <p>A connection counts as one for exchanges, in use or idle, until its exchange turns out to be a
 * long one; then it counts as a stream, and its place is another's. A request that finds neither a
 * place nor its client's share of them free waits in a queue. Whoever waits is served in a task of
 * its own: nobody is handed a connection within the call of another client.
 */
public final class UpstreamPool implements Origin {
  /** The most fields in a response's head. */
  private static final int MAX_FIELD_COUNT = 256;

  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(32 * 1024, 128 * 1024);

  private final UpstreamSettings settings;
  private final UpstreamAddresses addresses;
  private final EventLoop eventLoop;
  private final LoopClock clock;
  private final Deadlines deadlines;
  private final TrafficObserver observer;
  private final Bootstrap bootstrap;
  private final ResponseHead head = new ResponseHead(MAX_FIELD_COUNT);
  private final UnsafeBuffer window = new UnsafeBuffer(0, 0);
  private final ArrayDeque<UpstreamConnection> idle = new ArrayDeque<>();
  private final Set<ResponseSink> connecting = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Exchanges that have a connection, or are being connected. */
  private final FairCap exchanges;

  private final FairCap streams;
  private final UpstreamQueue queue;
  private final QueueDeadline queueDeadline = new QueueDeadline();
  private final Runnable serve = this::serveQueue;

  /** Connections but for those of streams: in use, idle, or on the way. */
  private int connectionCount;

  /** Which of the service's addresses was connected to last. */
  private int addressIndex;

  /** Whether those who wait are about to be served: nobody is to come before them. */
  private boolean serving;

  public UpstreamPool(
      UpstreamSettings settings,
      UpstreamAddresses addresses,
      Transport transport,
      EventLoop eventLoop,
      LoopClock clock,
      Deadlines deadlines,
      TrafficObserver observer) {
    this.settings = settings;
    this.addresses = addresses;
    this.eventLoop = eventLoop;
    this.clock = clock;
    this.deadlines = deadlines;
    this.observer = observer;
    exchanges = new FairCap(settings.caps().connections());
    streams = new FairCap(settings.caps().streams());
    queue = new UpstreamQueue(settings.caps().queue());
    deadlines.join(queueDeadline);
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
                    channel.pipeline().addLast(new UpstreamConnection(UpstreamPool.this, channel));
                  }
                });
    if (settings.address() instanceof InetSocketAddress) {
      bootstrap.option(ChannelOption.TCP_NODELAY, true);
    }
  }

  @Override
  public boolean isFull(long client, boolean upgrade) {
    if (upgrade && !streams.hasRoom(client)) {
      return true;
    }
    return !queue.hasRoom(client) && (serving || !hasConnection(client));
  }

  @Override
  public boolean isScarce() {
    return exchanges.isScarce();
  }

  @Override
  public boolean open(ResponseSink sink, long client) {
    if (!serving && hasConnection(client)) {
      take(sink, client);
      return false;
    }
    if (!queue.hasRoom(client)) {
      sink.upstreamFailed(RefusalReason.UPSTREAM_BUSY);
      return false;
    }
    queue.add(sink, client, clock.nowNs() + settings.timeouts().queueNs());
    queueDeadline.follow();
    observer.upstreamWaitBegun();
    return true;
  }

  /** Whether a client may have a connection, and there is one or may be one more. */
  private boolean hasConnection(long client) {
    if (!exchanges.hasRoom(client)) {
      return false;
    }
    while (!idle.isEmpty() && !idle.peekFirst().isUsable()) {
      idle.pollFirst();
    }
    return !idle.isEmpty() || connectionCount < settings.caps().connections();
  }

  private void take(ResponseSink sink, long client) {
    exchanges.take(client);
    UpstreamConnection connection = idle.pollFirst();
    if (connection != null) {
      connection.start(sink, client);
    } else {
      connectionCount++;
      connecting.add(sink);
      connect(sink, client, addresses.current(), 0);
    }
  }

  /** Tries the service's addresses in turn, from the one that did last. */
  private void connect(ResponseSink sink, long client, SocketAddress[] targets, int triedCount) {
    int index = (addressIndex + triedCount) % targets.length;
    ChannelFuture future = bootstrap.connect(targets[index]);
    Runnable tried =
        () -> {
          if (future.isSuccess()) {
            addressIndex = index;
            connected(sink, client, future.channel(), targets);
          } else if (triedCount + 1 < targets.length && connecting.contains(sink)) {
            connect(sink, client, targets, triedCount + 1);
          } else {
            addresses.failed();
            boolean timeout = future.cause() instanceof ConnectTimeoutException;
            notConnected(
                sink,
                client,
                timeout
                    ? RefusalReason.UPSTREAM_CONNECT_TIMEOUT
                    : RefusalReason.UPSTREAM_UNREACHABLE);
          }
        };
    if (future.isDone()) {
      tried.run(); // a channel that has no descriptor has no event loop to tell it on either
    } else {
      future.addListener(done -> tried.run());
    }
  }

  private void notConnected(ResponseSink sink, long client, RefusalReason reason) {
    connectionCount--;
    exchanges.leave(client);
    serveSoon();
    if (connecting.remove(sink)) {
      sink.upstreamFailed(reason);
    }
  }

  private void connected(ResponseSink sink, long client, Channel channel, SocketAddress[] targets) {
    observer.upstreamOpened();
    UpstreamConnection connection = channel.pipeline().get(UpstreamConnection.class);
    if (connection == null || connection.use() == Use.NONE) {
      notConnected(sink, client, RefusalReason.UPSTREAM_CLOSED); // within the same turn
      return;
    }
    connection.madeFor(client, targets);
    if (connecting.remove(sink)) {
      connection.start(sink, client);
    } else {
      release(connection);
    }
  }

  @Override
  public void forget(ResponseSink sink) {
    int waiting = connecting.remove(sink) ? -1 : queue.indexOf(sink);
    if (waiting >= 0) {
      leaveQueue(waiting);
    }
  }

  // Those who wait.

  /** A place has become free, or a client's share. */
  private void serveSoon() {
    if (queue.size() > 0 && !serving) {
      serving = true;
      eventLoop.execute(serve);
    }
  }

  private void serveQueue() {
    clock.tick();
    try {
      for (int i = 0; i < queue.size(); ) {
        long client = queue.client(i);
        if (hasConnection(client)) {
          take(leaveQueue(i), client);
          i = 0; // others may have left the queue, or joined it, within the call
        } else {
          i++;
        }
      }
    } finally {
      serving = false;
    }
  }

  private ResponseSink leaveQueue(int index) {
    ResponseSink sink = queue.remove(index);
    queueDeadline.follow();
    observer.upstreamWaitEnded();
    return sink;
  }

  private void refuseOverdue() {
    while (queue.size() > 0 && queue.firstDeadlineNs() <= clock.nowNs()) {
      leaveQueue(0).upstreamFailed(RefusalReason.UPSTREAM_BUSY);
    }
  }

  /** The deadline of the first in the queue; those behind it have later ones. */
  private final class QueueDeadline extends Deadlines.Waiter {
    void follow() {
      deadline(queue.size() == 0 ? Deadlines.NEVER : queue.firstDeadlineNs());
    }

    @Override
    protected void onDeadline() {
      try {
        refuseOverdue();
      } finally {
        follow();
      }
    }
  }

  // What becomes of a connection.

  /**
   * The exchange of a connection goes on for long: it leaves its place to others, if there is one
   * among the streams for it.
   *
   * @return whether it counts as a stream now.
   */
  boolean becomeStream(UpstreamConnection connection) {
    if (connection.use() != Use.EXCHANGE || !streams.hasRoom(connection.client())) {
      return connection.use() == Use.STREAM;
    }
    leave(connection);
    streams.take(connection.client());
    connection.use(Use.STREAM);
    observer.streamOpened();
    serveSoon();
    return true;
  }

  /** Takes a connection back whose exchange has ended well. */
  void release(UpstreamConnection connection) {
    leave(connection);
    boolean isCurrent = connection.targets() == addresses.current();
    if (!isCurrent || connectionCount == settings.caps().connections()) {
      connection.use(Use.NONE);
      connection.close();
    } else {
      connectionCount++;
      connection.use(Use.IDLE);
      connection.idleUntil(clock.nowNs() + settings.timeouts().idleNs());
      idle.addFirst(connection);
    }
    serveSoon();
  }

  void closed(UpstreamConnection connection) {
    leave(connection);
    connection.use(Use.NONE);
    observer.upstreamClosed();
    serveSoon();
  }

  /** Counts a connection out of whatever it is used for. */
  private void leave(UpstreamConnection connection) {
    switch (connection.use()) {
      case EXCHANGE -> {
        exchanges.leave(connection.client());
        connectionCount--;
      }
      case STREAM -> {
        streams.leave(connection.client());
        observer.streamClosed();
      }
      case IDLE -> {
        idle.remove(connection);
        connectionCount--;
      }
      case NEW, NONE -> {
        // Counted by whoever has it made, or not at all.
      }
    }
  }

  /** Closes what is idle: the process is ending. */
  public void closeIdle() {
    for (UpstreamConnection connection : List.copyOf(idle)) {
      connection.close(); // leaves them
    }
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
    return settings.timeouts().responseNs();
  }
}

package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.exchange.Origin.Pending;
import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.http2.PeerSettings;
import dev.weir.proxy.loop.FairCap;
import dev.weir.proxy.loop.FreeList;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.upstream.UpstreamCaps;
import dev.weir.proxy.upstream.UpstreamConnector;
import dev.weir.proxy.upstream.UpstreamLoop;
import dev.weir.proxy.upstream.WaitingRequests;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The exchanges of one event loop with a service of HTTP/2, which share its few connections. The
 * fullest connection with room is used, so that its flushes are large and others become idle;
 * another is opened before all are full. Not thread-safe.
 *
 * <p>A request waits ({@link WaitingRequests}) if there is no room, if its client's share is used
 * up, or while the first connection is being opened.
 *
 * <p>Long-lived streams are WebSockets, and exchanges that have gone on for 5 s. They have a bound
 * of their own, of which each client has a share, and do not take places of others: there may be
 * one connection more for each that they fill, half of one counting as one. Which exchanges are
 * long-lived is checked only when places are missing.
 */
final class Http2Pool implements WaitingRequests.Places<UpstreamStream> {
  /** The most unused streams that are kept for later requests. */
  static final int MAX_KEPT = 1_000;

  /** The least size of the queue, for requests that wait for the first connection. */
  private static final int LEAST_QUEUE = PeerSettings.MOST_STREAMS;

  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long LOOK_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(100);

  final Http2UpstreamLoop http2Loop;
  private final UpstreamLoop loop;
  private final Http2Connections connections;

  /** The places of exchanges, and of long-lived ones. */
  private final FairCap streams;

  private final FairCap longStreams;

  /** When long-lived exchanges may be looked for again. */
  private long nextLookNs = Long.MIN_VALUE;

  private final WaitingRequests<UpstreamStream> waiting;
  private final FreeList<UpstreamStream> free =
      new FreeList<>(MAX_KEPT, () -> new UpstreamStream(this));

  private final Consumer<UpstreamStream> becomeLongIfItLasts = this::becomeLongIfItLasts;

  /**
   * @param connector makes the connector from the maker of handlers.
   */
  Http2Pool(
      Http2UpstreamLoop http2Loop,
      Function<Function<Channel, ChannelHandler>, Consumer<UpstreamConnector.Attempt>> connector) {
    this.http2Loop = http2Loop;
    loop = http2Loop.upstream;
    UpstreamCaps caps = loop.settings().caps();
    streams = new FairCap(caps.http2Connections() * PeerSettings.MOST_STREAMS);
    longStreams = new FairCap(caps.streams());
    waiting = new WaitingRequests<>(loop, Math.max(caps.queue(), LEAST_QUEUE), this);
    connections = new Http2Connections(http2Loop, this, connector);
  }

  /** Whether a client's request would find neither a place nor room in the queue. */
  boolean isFull(long client) {
    return !waiting.hasRoom(client) && !waiting.maySkip(client);
  }

  /** Whether places are about to run out. */
  boolean isScarce() {
    return streams.isScarce();
  }

  /** Opens a stream, as {@link Origin#open}. */
  Origin.Opening open(ProxiedRequest request, long client) {
    boolean webSocket = request.encoded().webSocket();
    if (webSocket && !longStreams.hasRoom(client)) {
      return Pending.BUSY;
    }
    boolean hasRoom = waiting.maySkip(client);
    if (!hasRoom) {
      lookForLongStreams();
      hasRoom = waiting.maySkip(client);
    }
    hasRoom = hasRoom && suits(webSocket, client);
    if (!hasRoom && !waiting.hasRoom(client)) {
      return Pending.BUSY;
    }
    UpstreamStream stream = free.take();
    stream.start(request, client);
    if (hasRoom) {
      attach(stream);
      return stream;
    }
    enqueue(stream);
    return Pending.QUEUED;
  }

  /** Whether the free place suits: for a WebSocket only if the service's settings are known. */
  private boolean suits(boolean webSocket, long client) {
    return !webSocket || connections.withRoom().isSettled() && longStreams.hasRoom(client);
  }

  /** Counts long-lived exchanges as such; at most every 100 ms. */
  void lookForLongStreams() {
    long nowNs = http2Loop.nowNs();
    if (nowNs >= nextLookNs) {
      nextLookNs = nowNs + LOOK_AGAIN_NS;
      connections.forEachStream(becomeLongIfItLasts);
      countPlaces();
    }
  }

  private void becomeLongIfItLasts(UpstreamStream stream) {
    if (!stream.isLong
        && http2Loop.nowNs() - stream.openedNs() >= LONG_NS
        && longStreams.hasRoom(stream.client())) {
      streams.leave(stream.client());
      becomeLong(stream);
    }
  }

  private void becomeLong(UpstreamStream stream) {
    longStreams.take(stream.client());
    stream.isLong = true;
    loop.observer().streamOpened();
  }

  /** Counts the places of exchanges again, as long-lived ones do not take any. */
  void countPlaces() {
    streams.cap(Math.max(1, connections.places() - longStreams.taken()));
  }

  /** The most connections allowed now. */
  int mostConnections() {
    int streamsOfOne = connections.streamsOfOne();
    return loop.settings().caps().http2Connections()
        + (longStreams.taken() + streamsOfOne / 2) / streamsOfOne;
  }

  private void enqueue(UpstreamStream stream) {
    waiting.add(stream, stream.client());
    if (connections.withRoom() == null) {
      connections.makeAnother();
    }
    connections.askForPlaces();
  }

  /** Gives an exchange a stream; there must be room. */
  private void attach(UpstreamStream stream) {
    Http2Upstream connection = connections.withRoom();
    if (stream.asksForWebSocket()) {
      becomeLong(stream);
      countPlaces();
    } else {
      streams.take(stream.client());
    }
    connection.stay();
    stream.opened(connection, connection.http2.open(stream));
    if (connection.isCrowded(http2Loop.turn.number())) {
      connections.makeAnother();
    }
  }

  @Override
  public boolean hasRoom() {
    return connections.withRoom() != null;
  }

  @Override
  public boolean hasRoom(long client) {
    return streams.hasRoom(client);
  }

  @Override
  public boolean suits(UpstreamStream stream) {
    return suits(stream.asksForWebSocket(), stream.client());
  }

  @Override
  public void give(UpstreamStream stream, long client) {
    attach(stream);
    stream.begin();
  }

  @Override
  public void refuse(UpstreamStream stream) {
    stream.fail(RefusalReason.UPSTREAM_BUSY, RequestEnd.NO_CODE);
  }

  @Override
  public void hasNoRoom() {
    connections.makeAnother();
  }

  /** Whether any request waits for a stream. */
  boolean isWaiting() {
    return waiting.size() > 0;
  }

  /** Serves the queue, as there may be room. */
  void roomChanged() {
    waiting.serveSoon();
  }

  /** Fails all waiting requests, as there is no connection, and none is being opened. */
  void lost(RefusalReason reason) {
    waiting.removeAll(stream -> stream.fail(reason, RequestEnd.NO_CODE));
  }

  /** Whether there is a connection, so that the service is known to speak HTTP/2. */
  boolean isSettled() {
    return connections.withRoom() != null;
  }

  /** Passes all waiting requests to the pool of HTTP/1.1. */
  void handOver() {
    waiting.removeAll(UpstreamStream::handOver);
  }

  /** Forgets a request, as {@link Origin#forget}. */
  void forget(ProxiedRequest request) {
    for (int i = 0; i < waiting.size(); i++) {
      if (waiting.get(i).request() == request) {
        waiting.remove(i).forgotten();
        return;
      }
    }
  }

  /** Sends an exchange that the service has not processed once more, if possible. */
  void sendAgain(UpstreamStream stream) {
    if (waiting.hasRoom(stream.client())) {
      enqueue(stream);
      waiting.serveSoon();
    } else {
      stream.fail(RefusalReason.UPSTREAM_BUSY, RequestEnd.NO_CODE);
    }
  }

  /** Removes an exchange from those that wait to be sent once more. */
  void waitsNoMore(UpstreamStream stream) {
    waiting.remove(stream);
  }

  /**
   * An exchange has left its connection.
   *
   * @param keepsPlace whether its stream was reset, and keeps its place until the service has seen
   *     that ({@link #placeLeft}).
   */
  void streamLeft(UpstreamStream stream, boolean keepsPlace) {
    if (stream.isLong) {
      stream.isLong = false;
      longStreams.leave(stream.client());
      loop.observer().streamClosed();
      streams.take(stream.client()); // one of requests' places now
      countPlaces();
    }
    if (!keepsPlace) {
      placeLeft(stream.client());
    }
  }

  /** A reset stream has given up its place. */
  void placeLeft(long client) {
    streams.leave(client);
  }

  /** An exchange has ended. */
  void ended(UpstreamStream stream) {
    if (!free.give(stream)) {
      stream.leaveLoop();
    }
  }

  /** Closes connections without streams, as the process is ending. */
  void closeIdle() {
    connections.drain();
  }
}

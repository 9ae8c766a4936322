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
 * The exchanges of one event loop with a service of HTTP/2: many share one of its few connections.
 * The fullest that has room is used, so that its turns are full too and others go idle; another is
 * made before all are full. Not thread-safe.
 *
 * <p>A request that finds neither room nor its client's share of it waits, and so does one for
 * which the first connection is being made ({@link WaitingRequests}).
 *
 * <p>Streams that last are WebSockets, and exchanges that have gone on for 5 s. They have a cap of
 * their own, and each client a share of it, as connections to a service of HTTP/1.1 that last have;
 * their places are others'. So there may be a connection more for each one that they fill, half of
 * one counting as one. Which exchanges last is looked at only when places are missing.
 */
final class Http2Pool implements WaitingRequests.Places<UpstreamStream> {
  /** The streams that are kept for later requests; what a peak has more of is let go of. */
  static final int MAX_KEPT = 1_000;

  /** The least places of the queue: whoever comes first waits for the first connection. */
  private static final int LEAST_QUEUE = PeerSettings.MOST_STREAMS;

  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long LOOK_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(100);

  final Http2UpstreamLoop http2Loop;
  private final UpstreamLoop loop;
  private final Http2Connections connections;

  /** The streams of exchanges, and of those that last. */
  private final FairCap streams;

  private final FairCap longStreams;

  /** The time of the next look at which exchanges last. */
  private long nextLookNs = Long.MIN_VALUE;

  private final WaitingRequests<UpstreamStream> waiting;
  private final FreeList<UpstreamStream> free =
      new FreeList<>(MAX_KEPT, () -> new UpstreamStream(this));

  private final Consumer<UpstreamStream> becomeLongIfItLasts = this::becomeLongIfItLasts;

  /**
   * @param connector gives, for what makes the handlers of channels, who makes connections.
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

  /** Whether a client's request would find neither room nor a place to wait. */
  boolean isFull(long client) {
    return !waiting.hasRoom(client) && !waiting.maySkip(client);
  }

  /** Whether exchanges are about to find no place. */
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

  /** Whether the stream that there is would do: for a WebSocket if the service is settled. */
  private boolean suits(boolean webSocket, long client) {
    return !webSocket || connections.withRoom().isSettled() && longStreams.hasRoom(client);
  }

  /** Has those exchanges count among the streams that last which do; not again within 100 ms. */
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

  /** Counts the places of exchanges anew: streams that last leave theirs to others. */
  void countPlaces() {
    streams.cap(Math.max(1, connections.places() - longStreams.taken()));
  }

  /** The most connections that there may be. */
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

  /** Gives an exchange a stream; there is one. */
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

  /** Whether anybody waits for a stream. */
  boolean isWaiting() {
    return waiting.size() > 0;
  }

  /** Serves those who wait: there may be room for them. */
  void roomChanged() {
    waiting.serveSoon();
  }

  /** Nobody is to wait any longer: there is no connection, and none on the way. */
  void lost(RefusalReason reason) {
    waiting.removeAll(stream -> stream.fail(reason, RequestEnd.NO_CODE));
  }

  /** Whether there is a connection, so that the service is known to speak HTTP/2. */
  boolean isSettled() {
    return connections.withRoom() != null;
  }

  /** Hands all requests that wait to who has connections of HTTP/1.1. */
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

  /** An exchange that the service has not looked at is sent once more, if there is a way. */
  void sendAgain(UpstreamStream stream) {
    if (waiting.hasRoom(stream.client())) {
      enqueue(stream);
      waiting.serveSoon();
    } else {
      stream.fail(RefusalReason.UPSTREAM_BUSY, RequestEnd.NO_CODE);
    }
  }

  /** An exchange waits no more to be sent once more, if it did. */
  void waitsNoMore(UpstreamStream stream) {
    waiting.remove(stream);
  }

  /**
   * An exchange is no longer on a connection.
   *
   * @param keepsPlace whether its stream was reset, and its place stays its client's until the
   *     service has seen that ({@link #placeLeft}).
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

  /** A place is its client's no more. */
  void placeLeft(long client) {
    streams.leave(client);
  }

  /** An exchange has ended, wherever it was. */
  void ended(UpstreamStream stream) {
    if (!free.give(stream)) {
      stream.leaveLoop();
    }
  }

  /** Closes what has no stream: the process is ending. */
  void closeIdle() {
    connections.drain();
  }
}

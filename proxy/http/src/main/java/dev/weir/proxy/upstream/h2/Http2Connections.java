package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.http2.PeerSettings;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.ReplacementCause;
import dev.weir.proxy.upstream.UpstreamConnector;
import dev.weir.proxy.upstream.UpstreamLoop;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The connections of one event loop to a service of HTTP/2: opens further ones, and ends those that
 * are not needed. The first stays, others end when they have had no stream for long.
 */
final class Http2Connections {
  /** The least time between two connections that replace others. */
  private static final long REPLACEMENT_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Http2UpstreamLoop http2Loop;
  private final UpstreamLoop loop;
  final Http2Pool pool;
  private final Consumer<UpstreamConnector.Attempt> connector;

  /** Fires when the next replacing connection may be opened. */
  private final Deadlines.Timer pace = new Deadlines.Timer(this::replaceForThoseWhoWait);

  /** Whether the next connection replaces another. */
  private boolean isReplacement;

  private long nextReplacementNs = Long.MIN_VALUE;

  /** The connections that take new streams, oldest first. */
  private final List<Http2Upstream> connections = new ArrayList<>();

  /** The connection that is being opened; null if none is. */
  private Attempt attempt;

  /** The connection of the last channel that was made, until it is open. */
  private Http2Upstream made;

  /** The connections that take no more streams, and end once theirs have ended. */
  private final List<Http2Upstream> ending = new ArrayList<>();

  /** When the service last answered any request. */
  private long answeredNs = Long.MIN_VALUE;

  /**
   * @param connector makes the connector from the maker of handlers.
   */
  Http2Connections(
      Http2UpstreamLoop http2Loop,
      Http2Pool pool,
      Function<Function<Channel, ChannelHandler>, Consumer<UpstreamConnector.Attempt>> connector) {
    this.http2Loop = http2Loop;
    loop = http2Loop.upstream;
    this.pool = pool;
    loop.deadlines().join(pace);
    this.connector = connector.apply(this::newHandler);
  }

  private ChannelHandler newHandler(Channel channel) {
    made = new Http2Upstream(http2Loop, this, channel);
    return made.handler();
  }

  /**
   * The fullest connection with room; one whose window is shut only if there is no other; null if
   * none has room.
   */
  Http2Upstream withRoom() {
    SocketAddress[] current = loop.addresses().current();
    Http2Upstream fullest = null;
    for (int i = connections.size() - 1; i >= 0; i--) {
      Http2Upstream connection = connections.get(i);
      if (connection.http2.isGoingAway() || connection.targets() != current) {
        leave(connection);
        connection.http2.drain();
      } else if (connection.http2.hasRoom()
          && (fullest == null || !connection.isWorseThan(fullest))) {
        fullest = connection;
      }
    }
    return fullest;
  }

  /**
   * Opens another connection, if one more is allowed, and none is being opened or waits for its
   * settings. Of connections that replace others, at most one is opened in 100 ms.
   */
  void makeAnother() {
    if (attempt != null || !mayMakeAnother()) {
      return;
    }
    for (int i = 0; i < connections.size(); i++) {
      if (!connections.get(i).isSettled()) {
        return;
      }
    }
    if (mayReplace()) {
      attempt = new Attempt();
      connector.accept(attempt);
    }
  }

  private boolean mayMakeAnother() {
    if (connections.size() >= pool.mostConnections()) {
      pool.lookForLongStreams();
    }
    return connections.size() < pool.mostConnections();
  }

  /** Whether a replacing connection may be opened now; if so, it is counted. */
  private boolean mayReplace() {
    if (isReplacement) {
      long nowNs = http2Loop.nowNs();
      if (nowNs < nextReplacementNs) {
        pace.until(nextReplacementNs);
        return false;
      }
      isReplacement = false;
      nextReplacementNs = nowNs + REPLACEMENT_NS;
    }
    return true;
  }

  /** A connection that is being opened. */
  private final class Attempt extends UpstreamConnector.Attempt {
    @Override
    public boolean isWanted() {
      return pool.isWaiting();
    }

    @Override
    public boolean speaks(String protocol) {
      return http2Loop.alpn == null || AlpnOrigin.HTTP2.equals(protocol);
    }

    @Override
    public void speaksOther(Channel channel) {
      attempt = null;
      http2Loop.alpn.agreedOnHttp1(channel, targets());
      pool.roomChanged();
    }

    @Override
    public void connected(Channel channel) {
      attempt = null;
      loop.observer().upstreamOpened();
      Http2Upstream connection = made;
      made = null;
      if (!channel.isActive()) {
        lost(RefusalReason.UPSTREAM_CLOSED); // within the same turn
        return;
      }
      connection.madeTo(targets());
      connections.add(connection);
      pool.roomChanged();
    }

    @Override
    public void failed(RefusalReason reason) {
      attempt = null;
      lost(reason);
    }
  }

  /**
   * A connection could not be opened, or was lost: requests wait for other connections, or fail if
   * there are none.
   */
  private void lost(RefusalReason reason) {
    if (connections.isEmpty() && attempt == null) {
      pool.lost(reason);
    }
    pool.roomChanged();
  }

  /** The service's settings have arrived on a connection. */
  void settled(Http2Upstream connection) {
    loop.addresses().incidents().notHttp2.ended();
    pool.countPlaces();
    pool.roomChanged();
  }

  /**
   * The number of streams possible at one time. A connection that takes new streams counts with as
   * many as the service allows on it; one that has no settings yet, or may still be opened, with
   * the most that it allows on any. A connection that takes no more counts with those still
   * running.
   */
  int places() {
    int places = 0;
    int unknownCount = Math.max(0, pool.mostConnections() - connections.size());
    for (int i = 0; i < connections.size(); i++) {
      Http2Upstream connection = connections.get(i);
      if (connection.isSettled()) {
        places +=
            Math.max(connection.http2.peerSettings().maxStreams(), connection.http2.streamCount());
      } else {
        unknownCount++;
      }
    }
    for (int i = 0; i < ending.size(); i++) {
      places += ending.get(i).http2.streamCount();
    }
    return places + unknownCount * streamsOfOne();
  }

  /** The streams that the service allows on a connection, as far as is known; 1 or more. */
  int streamsOfOne() {
    int mostOfOne = 0;
    for (int i = 0; i < connections.size(); i++) {
      Http2Upstream connection = connections.get(i);
      if (connection.isSettled()) {
        mostOfOne = Math.max(mostOfOne, connection.http2.peerSettings().maxStreams());
      }
    }
    return mostOfOne == 0 ? PeerSettings.MOST_STREAMS : mostOfOne;
  }

  /** Calls {@code told} for each stream. */
  void forEachStream(Consumer<UpstreamStream> told) {
    for (int i = 0; i < connections.size(); i++) {
      connections.get(i).forEachStream(told);
    }
    for (int i = 0; i < ending.size(); i++) {
      ending.get(i).forEachStream(told);
    }
  }

  /** The service has answered a request by a head or content. */
  void answered(long nowNs) {
    answeredNs = nowNs;
  }

  /** When the service last answered any request. */
  long answeredNs() {
    return answeredNs;
  }

  /** Asks for the places of reset streams, as requests wait. */
  void askForPlaces() {
    for (int i = 0; i < connections.size(); i++) {
      connections.get(i).askForPlaces();
    }
  }

  /** A stream of a connection has ended. */
  void roomChanged(Http2Upstream connection) {
    if (!ending.isEmpty()
        || connection.http2.streamCount() >= connection.http2.peerSettings().maxStreams()) {
      pool.countPlaces(); // its own may have gone with it
    }
    if (connection.isIdle() && connections.indexOf(connection) > 0) {
      connection.idle();
    }
    pool.roomChanged();
  }

  /** A connection takes no more streams; its own go on. */
  void goingAway(Http2Upstream connection) {
    if (leave(connection)) {
      replaceForThoseWhoWait();
    }
  }

  /**
   * Replaces a connection that does not work properly: it gets no new streams, its own go on, and
   * another is opened. It is kept if too many are already ending in this way.
   */
  void replace(Http2Upstream connection, ReplacementCause cause) {
    if (ending.size() < loop.settings().caps().http2Connections() && leave(connection)) {
      loop.observer().upstreamReplaced(cause);
      connection.http2.drain();
      makeAnother();
      pool.roomChanged();
    }
  }

  /** Gives a connection no new streams; false if it got none before. */
  private boolean leave(Http2Upstream connection) {
    if (!retire(connection)) {
      return false;
    }
    isReplacement = true;
    return true;
  }

  private boolean retire(Http2Upstream connection) {
    if (!connections.remove(connection)) {
      return false;
    }
    ending.add(connection);
    pool.countPlaces();
    return true;
  }

  /** A connection has had no stream for long, or no settings in time. */
  void timeIsUp(Http2Upstream connection) {
    if (!connection.isSettled()) {
      connection.http2.close();
    } else if (connection.isIdle() && connections.indexOf(connection) > 0) {
      retire(connection);
      connection.http2.drain();
    }
  }

  void closed(Http2Upstream connection) {
    loop.observer().upstreamClosed();
    boolean tookStreams = leave(connection);
    ending.remove(connection);
    pool.countPlaces();
    if (tookStreams) {
      if (connection.isSettled()) {
        replaceForThoseWhoWait();
      } else {
        lost(connection.failure());
      }
    }
  }

  private void replaceForThoseWhoWait() {
    if (pool.isWaiting()) {
      makeAnother();
    }
    pool.roomChanged();
  }

  /** Ends all connections once they have no stream, as the process is ending. */
  void drain() {
    for (Http2Upstream connection : List.copyOf(connections)) {
      connection.http2.drain();
    }
  }
}

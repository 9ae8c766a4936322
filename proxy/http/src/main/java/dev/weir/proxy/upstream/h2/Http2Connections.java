package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.http2.PeerSettings;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.ReplacementCause;
import dev.weir.proxy.upstream.ServiceTimer;
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
 * The connections of one event loop to a service of HTTP/2: which there are, when another is made,
 * and which of them ends. The first stays, others go when they have had no stream for long.
 */
final class Http2Connections {
  /** Connections that replace others are made at this pace. */
  private static final long REPLACEMENT_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Http2UpstreamLoop http2Loop;
  private final UpstreamLoop loop;
  final Http2Pool pool;
  private final Consumer<UpstreamConnector.Attempt> connector;

  /** Ends when the next connection may be made that replaces another. */
  private final ServiceTimer pace =
      new ServiceTimer() {
        @Override
        protected void onDeadline() {
          replaceForThoseWhoWait();
        }
      };

  /** Whether the next connection that is made replaces another. */
  private boolean isReplacement;

  private long nextReplacementNs = Long.MIN_VALUE;

  /** The connections that take new streams, in the order in which they were made. */
  private final List<Http2Upstream> connections = new ArrayList<>();

  /** The connection that is being made; null if none is. */
  private Attempt attempt;

  /** The connection of the channel that was made last, until it is connected. */
  private Http2Upstream made;

  /** The connections that take no more streams, and end once theirs have. */
  private final List<Http2Upstream> ending = new ArrayList<>();

  /** The time at which the service has answered any request last. */
  private long answeredNs = Long.MIN_VALUE;

  /**
   * @param connector gives, for what makes the handlers of channels, who makes connections.
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
   * The fullest connection that has room, one whose window is shut only if there is no other; null
   * if none has.
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
   * Has another connection made, if there may be one more, and none is being made or has still to
   * say what it allows. Of those that replace others, one is made in 100 ms.
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

  /** Whether the pace of replacements lets one more be made now, as it then is. */
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

  /** A connection that is being made. */
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
   * There is one connection less than was hoped for: who waits, waits for others, or in vain if
   * there are none.
   */
  private void lost(RefusalReason reason) {
    if (connections.isEmpty() && attempt == null) {
      pool.lost(reason);
    }
    pool.roomChanged();
  }

  /** The service has said what it allows on a connection. */
  void settled(Http2Upstream connection) {
    loop.addresses().incidents().notHttp2.ended();
    pool.countPlaces();
    pool.roomChanged();
  }

  /**
   * The streams that there may be at one time. A connection that takes new ones has as many places
   * as the service allows on it; one that has not said so yet, or is still to be made, as many as
   * that of which it allows most. On whatever connection a stream runs, it has a place: on those
   * that take no more there are as many as still run.
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

  /** Tells of each stream. */
  void forEachStream(Consumer<UpstreamStream> told) {
    for (int i = 0; i < connections.size(); i++) {
      connections.get(i).forEachStream(told);
    }
    for (int i = 0; i < ending.size(); i++) {
      ending.get(i).forEachStream(told);
    }
  }

  /** The service has answered a request: a head has come, or content. */
  void answered(long nowNs) {
    answeredNs = nowNs;
  }

  /** The time at which the service has answered any request last. */
  long answeredNs() {
    return answeredNs;
  }

  /** Somebody waits: asks for the places of streams that were reset. */
  void askForPlaces() {
    for (int i = 0; i < connections.size(); i++) {
      connections.get(i).askForPlaces();
    }
  }

  /** A stream of a connection is no more. */
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

  /** A connection takes no more streams; those that it has go on. */
  void goingAway(Http2Upstream connection) {
    if (leave(connection)) {
      replaceForThoseWhoWait();
    }
  }

  /**
   * A connection gets no more streams, as it does not do its work; those that it has go on, and
   * another is made. It is kept if as many as there may be already end in this way.
   */
  void replace(Http2Upstream connection, ReplacementCause cause) {
    if (ending.size() < loop.settings().caps().http2Connections() && leave(connection)) {
      loop.observer().upstreamReplaced(cause);
      connection.http2.drain();
      makeAnother();
      pool.roomChanged();
    }
  }

  /** A connection gets no more streams; false if it got none before. */
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

  /** A connection has no stream for long, or has not said in time what it allows. */
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

  /** Ends all once they have no stream: the process is ending. */
  void drain() {
    for (Http2Upstream connection : List.copyOf(connections)) {
      connection.http2.drain();
    }
  }
}

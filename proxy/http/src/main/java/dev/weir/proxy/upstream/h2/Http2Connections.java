package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.http2.PeerSettings;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.ReplacementCause;
import dev.weir.proxy.upstream.UpstreamConnector;
import dev.weir.proxy.upstream.UpstreamLoop;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The connections of one event loop to a service of HTTP/2: which there are, when another is made,
 * and which of them ends. The first stays, others go when they have had no stream for long.
 */
final class Http2Connections {
  /** Who waits for connections. */
  interface Owner {
    /** Whether anybody waits. */
    boolean isWaiting();

    /** There may be room for those who wait. */
    void roomChanged();

    /** The service has seen the reset of a stream, which had a client's place until now. */
    void placeLeft(long client);

    /** Nobody is to wait any longer: there is no connection, and none on the way. */
    void lost(RefusalReason reason);

    /** How many connections there may be. */
    int mostConnections();

    /** There may be none more: makes room for one, if that can be. */
    void makeRoom();

    /** {@link #places} are others now. */
    void placesChanged();
  }

  /** Who takes connections over which another protocol was agreed on. */
  interface OtherPool {
    /** Takes a connection over, which nobody reads. */
    void take(Channel channel, SocketAddress[] targets);
  }

  private final Http2UpstreamLoop http2;
  private final UpstreamLoop loop;
  private final Owner owner;
  private final Consumer<UpstreamConnector.Attempt> connector;

  private final ReplacementPace pace;

  /** Those that take new streams, in the order in which they were made. */
  private final List<Http2Upstream> connections = new ArrayList<>();

  /** The connection that is being made; null if none is. */
  private Attempt attempt;

  /** Those that take no more streams, and end once theirs have. */
  private final List<Http2Upstream> ending = new ArrayList<>();

  /** Who takes connections of HTTP/1.1; null if all speak HTTP/2. */
  private OtherPool otherPool;

  /** When the service has answered any request last. */
  private long answeredNs = Long.MIN_VALUE;

  /**
   * @param connector gives, for what makes the handlers of channels, who makes connections.
   */
  Http2Connections(
      Http2UpstreamLoop http2,
      Owner owner,
      Function<Function<Channel, ChannelHandler>, Consumer<UpstreamConnector.Attempt>> connector) {
    this.http2 = http2;
    loop = http2.upstream();
    this.owner = owner;
    pace = new ReplacementPace(loop.clock(), this::replaceForThoseWhoWait);
    loop.deadlines().join(pace);
    this.connector = connector.apply(channel -> new Http2Upstream(this, channel));
  }

  /** Names who takes connections over which HTTP/1.1 was agreed on. */
  void onHttp1(OtherPool pool) {
    otherPool = pool;
  }

  /**
   * The fullest connection that has room, one whose window is shut only if there is no other; null
   * if none has.
   */
  Http2Upstream withRoom() {
    Http2Upstream fullest = null;
    for (int i = connections.size() - 1; i >= 0; i--) {
      Http2Upstream connection = connections.get(i);
      if (connection.isGoingAway() || connection.targets() != loop.addresses().current()) {
        leave(connection);
        connection.drain();
      } else if (connection.hasRoom() && (fullest == null || !connection.isWorseThan(fullest))) {
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
    if (pace.begins()) {
      attempt = new Attempt();
      connector.accept(attempt);
    }
  }

  private boolean mayMakeAnother() {
    if (connections.size() >= owner.mostConnections()) {
      owner.makeRoom();
    }
    return connections.size() < owner.mostConnections();
  }

  /** A connection that is being made. */
  private final class Attempt extends UpstreamConnector.Attempt {
    @Override
    public boolean isWanted() {
      return owner.isWaiting();
    }

    @Override
    public boolean speaks(String protocol) {
      return otherPool == null || AlpnOrigin.HTTP2.equals(protocol);
    }

    @Override
    public void speaksOther(Channel channel) {
      attempt = null;
      otherPool.take(channel, targets());
      owner.roomChanged();
    }

    @Override
    public void connected(Channel channel) {
      attempt = null;
      loop.observer().upstreamOpened();
      Http2Upstream connection = channel.pipeline().get(Http2Upstream.class);
      if (connection == null || !channel.isActive()) {
        lost(RefusalReason.UPSTREAM_CLOSED); // within the same turn
        return;
      }
      connection.madeTo(targets());
      connections.add(connection);
      owner.roomChanged();
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
      owner.lost(reason);
    }
    owner.roomChanged();
  }

  /** The service has said what it allows on a connection. */
  void settled(Http2Upstream connection) {
    loop.addresses().incidents().notHttp2.ended();
    owner.placesChanged();
    owner.roomChanged();
  }

  /**
   * The streams that there may be at one time. A connection that takes new ones has as many places
   * as the service allows on it; one that has not said so yet, or is still to be made, as many as
   * that of which it allows most. On whatever connection a stream runs, it has a place: on those
   * that take no more there are as many as still run.
   */
  int places() {
    int places = 0;
    int unknownCount = Math.max(0, owner.mostConnections() - connections.size());
    for (int i = 0; i < connections.size(); i++) {
      Http2Upstream connection = connections.get(i);
      if (connection.isSettled()) {
        places += Math.max(connection.peerSettings().maxStreams(), connection.streamCount());
      } else {
        unknownCount++;
      }
    }
    for (int i = 0; i < ending.size(); i++) {
      places += ending.get(i).streamCount();
    }
    return places + unknownCount * streamsOfOne();
  }

  /** The streams that the service allows on a connection, as far as is known; 1 or more. */
  int streamsOfOne() {
    int mostOfOne = 0;
    for (int i = 0; i < connections.size(); i++) {
      Http2Upstream connection = connections.get(i);
      if (connection.isSettled()) {
        mostOfOne = Math.max(mostOfOne, connection.peerSettings().maxStreams());
      }
    }
    return mostOfOne == 0 ? PeerSettings.MOST_STREAMS : mostOfOne;
  }

  /** Tells of each call that has a stream. */
  void forEachCall(Consumer<UpstreamStream> told) {
    for (int i = 0; i < connections.size(); i++) {
      connections.get(i).forEachCall(told);
    }
    for (int i = 0; i < ending.size(); i++) {
      ending.get(i).forEachCall(told);
    }
  }

  /** The service has answered a request: a head has come, or content. */
  void answered(long nowNs) {
    answeredNs = nowNs;
  }

  /** When it has answered any request last. */
  long answeredNs() {
    return answeredNs;
  }

  /** Whether anybody waits for a stream. */
  boolean isAwaited() {
    return owner.isWaiting();
  }

  /** Somebody waits: asks for the places of streams that were reset. */
  void askForPlaces() {
    for (int i = 0; i < connections.size(); i++) {
      connections.get(i).askForPlaces();
    }
  }

  /** The service has seen the reset of a stream, which had a client's place until now. */
  void placeLeft(long client) {
    owner.placeLeft(client);
  }

  /** A stream of a connection is no more. */
  void roomChanged(Http2Upstream connection) {
    if (!ending.isEmpty() || connection.streamCount() >= connection.peerSettings().maxStreams()) {
      owner.placesChanged(); // its own may have gone with it
    }
    if (connection.isIdle() && connections.indexOf(connection) > 0) {
      connection.idle();
    }
    owner.roomChanged();
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
      connection.drain();
      makeAnother();
      owner.roomChanged();
    }
  }

  /** A connection gets no more streams; false if it got none before. */
  private boolean leave(Http2Upstream connection) {
    if (!retire(connection)) {
      return false;
    }
    pace.lost();
    return true;
  }

  private boolean retire(Http2Upstream connection) {
    if (!connections.remove(connection)) {
      return false;
    }
    ending.add(connection);
    owner.placesChanged();
    return true;
  }

  /** A connection has no stream for long, or has not said in time what it allows. */
  void timeIsUp(Http2Upstream connection) {
    if (!connection.isSettled()) {
      connection.close();
    } else if (connection.isIdle() && connections.indexOf(connection) > 0) {
      retire(connection);
      connection.drain();
    }
  }

  void closed(Http2Upstream connection) {
    loop.observer().upstreamClosed();
    boolean tookStreams = leave(connection);
    ending.remove(connection);
    owner.placesChanged();
    if (tookStreams) {
      if (connection.isSettled()) {
        replaceForThoseWhoWait();
      } else {
        lost(connection.failure());
      }
    }
  }

  private void replaceForThoseWhoWait() {
    if (owner.isWaiting()) {
      makeAnother();
    }
    owner.roomChanged();
  }

  /** Ends all once they have no stream: the process is ending. */
  void drain() {
    for (Http2Upstream connection : List.copyOf(connections)) {
      connection.drain();
    }
  }

  Http2UpstreamLoop http2() {
    return http2;
  }
}

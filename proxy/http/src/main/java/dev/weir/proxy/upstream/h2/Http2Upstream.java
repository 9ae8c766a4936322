package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FrameType;
import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.Role;
import dev.weir.proxy.http2.StreamEnd;
import dev.weir.proxy.http2.StreamEvents;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.message.ResponseHead;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.ReplacementCause;
import dev.weir.proxy.upstream.ServiceTimer;
import dev.weir.proxy.upstream.UpstreamLoop;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One connection to a service of HTTP/2, whose streams are {@link UpstreamStream}s. */
final class Http2Upstream implements StreamEvents {
  /** The time for which a connection that is not the only one is kept without a stream. */
  private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(60);

  /** The offset of a frame's type. */
  private static final int TYPE_OFFSET = 3;

  private static final int LOGGED_BYTES = 32;

  private static final long NO_TURN = -1;

  /** The wait for its window from which on other connections are better. */
  private static final long SHUT_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The wait of streams that do not hold the window from which on it is replaced. */
  private static final long REPLACED_NS = TimeUnit.SECONDS.toNanos(2);

  /** The connection itself, with its streams. */
  final Http2Connection http2;

  final ConnectionHealth health = new ConnectionHealth(this);
  final Http2UpstreamLoop http2Loop;
  private final Http2Connections connections;
  private final UpstreamLoop loop;
  private final Channel channel;
  private final ServiceTimer timer;
  private SocketAddress[] targets;
  private boolean isSettled;
  private boolean hasRead;
  private boolean isNoHttp2;

  /** Whether content waits for its window for long. */
  private boolean isShut;

  /** The clients whose places reset streams still have, by slot. */
  private long[] resetClients = {};

  /**
   * The turn in which it was first seen that no more can be written; {@link #NO_TURN} if it can.
   */
  private long fullSinceTurn = NO_TURN;

  Http2Upstream(Http2UpstreamLoop http2Loop, Http2Connections connections, Channel channel) {
    this.http2Loop = http2Loop;
    this.connections = connections;
    loop = http2Loop.upstream;
    this.channel = channel;
    timer =
        new ServiceTimer() {
          @Override
          protected void onDeadline() {
            connections.timeIsUp(Http2Upstream.this);
          }
        };
    http2 =
        new Http2Connection(
            http2Loop.connections, Role.CLIENT, channel, http2Loop.observer, 0, this);
  }

  /** Reads and writes for the connection. */
  ChannelHandler handler() {
    return http2.handler();
  }

  @Override
  public void connectionBegun() {
    loop.deadlines().join(timer);
    loop.deadlines().join(health);
    timer.until(http2Loop.nowNs() + loop.settings().timeouts().connectNs());
  }

  void madeTo(SocketAddress[] addresses) {
    targets = addresses;
  }

  /** The addresses of which it is connected to one. */
  SocketAddress[] targets() {
    return targets;
  }

  /** Whether the service has said what it allows. */
  boolean isSettled() {
    return isSettled;
  }

  /**
   * Whether it has so many streams, or so much to send, or its window shut, that there should be
   * another.
   */
  boolean isCrowded(long turn) {
    if (channel.isWritable()) {
      fullSinceTurn = NO_TURN;
    } else if (fullSinceTurn == NO_TURN) {
      fullSinceTurn = turn;
    }
    boolean isFull = fullSinceTurn != NO_TURN && turn - fullSinceTurn >= 2;
    return isFull || isShut || 4 * http2.streamCount() >= 3 * http2.peerSettings().maxStreams();
  }

  /** Whether another connection is better for a new stream, if both have room. */
  boolean isWorseThan(Http2Upstream other) {
    return isShut == other.isShut ? http2.streamCount() < other.http2.streamCount() : isShut;
  }

  @Override
  public void windowAwaited(long ns, long othersNs) {
    boolean wasShut = isShut;
    isShut = ns >= SHUT_NS;
    if (othersNs >= REPLACED_NS) {
      replace(ReplacementCause.SHUT_WINDOW);
    } else if (isShut && !wasShut) {
      connections.makeAnother();
    }
  }

  @Override
  public boolean hasAnsweredSince(long ns) {
    return connections.answeredNs() >= ns;
  }

  /** Why there is no connection any more, if it ends before it is settled. */
  RefusalReason failure() {
    return isNoHttp2 ? RefusalReason.UPSTREAM_MALFORMED : RefusalReason.UPSTREAM_CLOSED;
  }

  /** Whether it has no stream but those that were reset. */
  boolean isIdle() {
    return http2.streamCount() == http2.unseenResets();
  }

  /** The connection has no stream, and another one would do. */
  void idle() {
    timer.until(http2Loop.nowNs() + IDLE_NS);
  }

  /** The connection is used, or is to stay. */
  void stay() {
    if (isSettled) {
      timer.until(Deadlines.NEVER);
    }
  }

  @Override
  public boolean accepts(ByteBuf bytes) {
    if (!hasRead && !beginsWithSettings(bytes)) {
      int shown = Math.min(LOGGED_BYTES, bytes.readableBytes());
      loop.addresses()
          .incidents()
          .notHttp2
          .noticed(
              channel.remoteAddress()
                  + " does not speak HTTP/2 (expected: SETTINGS first); its first bytes: "
                  + ByteBufUtil.hexDump(bytes, bytes.readerIndex(), shown));
      isNoHttp2 = true;
      channel.close();
      return false;
    }
    hasRead = true;
    return true;
  }

  @Override
  public void readEnding() {
    health.read(http2Loop.nowNs());
  }

  /** Whether it may be that: less than so many bytes are not sent first by anybody. */
  private static boolean beginsWithSettings(ByteBuf bytes) {
    return bytes.readableBytes() <= TYPE_OFFSET
        || bytes.getByte(bytes.readerIndex() + TYPE_OFFSET) == FrameType.SETTINGS;
  }

  /**
   * The place of a stream that was reset is its client's until the service has seen that; {@link
   * Http2Pool#placeLeft} is told then.
   */
  void keepPlace(int stream, long client) {
    if (stream >= resetClients.length) {
      resetClients = Arrays.copyOf(resetClients, Math.max(http2.slots(), 2 * stream));
    }
    resetClients[stream] = client;
    connections.roomChanged(this); // it may be idle now
  }

  /** Asks for the places of streams that were reset, if they are many or others wait for them. */
  void askForPlaces() {
    boolean isNeeded =
        4 * http2.unseenResets() >= http2.peerSettings().maxStreams()
            || connections.pool.isWaiting();
    if (http2.unaskedResets() > 0 && isNeeded && !http2.isGoingAway()) {
      health.askForResets(http2Loop.nowNs());
    }
  }

  @Override
  public long stalledNs() {
    return Math.max(StreamEvents.super.stalledNs(), loop.settings().timeouts().responseNs());
  }

  @Override
  public boolean keepsResets() {
    return true;
  }

  @Override
  public void streamReset(int stream) {
    UpstreamStream exchange = (UpstreamStream) http2.owner(stream);
    if (exchange != null) {
      http2Loop.resets.count(exchange.client(), http2Loop.nowNs());
    }
  }

  @Override
  public void resetSeen(int stream) {
    connections.pool.placeLeft(resetClients[stream]);
  }

  @Override
  public void turnEnding() {
    askForPlaces();
  }

  /**
   * The time since when the first request waits for its answer, of those that have waited since
   * later than {@code afterNs}; {@link Deadlines#NEVER} if none does.
   */
  long awaitedSince(long afterNs) {
    long sinceNs = Deadlines.NEVER;
    for (int stream = 0; stream < http2.slots(); stream++) {
      UpstreamStream exchange = (UpstreamStream) http2.owner(stream);
      if (exchange != null && exchange.waitsSinceNs() > afterNs) {
        sinceNs = Math.min(sinceNs, exchange.waitsSinceNs());
      }
    }
    return sinceNs;
  }

  /** Tells of each stream that an exchange has. */
  void forEachStream(Consumer<UpstreamStream> told) {
    for (int stream = 0; stream < http2.slots(); stream++) {
      UpstreamStream exchange = (UpstreamStream) http2.owner(stream);
      if (exchange != null) {
        told.accept(exchange);
      }
    }
  }

  /** The connection is to get no new streams. */
  void replace(ReplacementCause cause) {
    connections.replace(this, cause);
  }

  @Override
  public void pingAnswered(long data) {
    health.pingAnswered(data);
  }

  @Override
  public void acknowledged() {
    health.isThere();
  }

  @Override
  public void settingsReceived() {
    if (!isSettled) {
      isSettled = true;
      timer.until(Deadlines.NEVER);
    }
    connections.settled(this);
  }

  @Override
  public void roomChanged() {
    connections.roomChanged(this);
  }

  @Override
  public void headReceived(int stream, FieldBlock fields, boolean endStream) {
    answered();
    UpstreamStream exchange = (UpstreamStream) http2.owner(stream);
    ResponseHead head = http2Loop.messages.head();
    if (!head.readHead(fields, exchange.headMethod(), endStream)) {
      exchange.malformed();
      return;
    }
    if (!head.informational() && !endStream && !exchange.agreesToWebSocket(head)) {
      if (!head.hasBody()) {
        http2.expectContent(stream, 0);
      } else if (head.contentLength() >= 0) {
        http2.expectContent(stream, head.contentLength());
      }
    }
    if (!exchange.headReceived(head, endStream)) {
      exchange.malformed();
    }
  }

  /** A head has come, or content. */
  void answered() {
    health.answered();
    connections.answered(http2Loop.nowNs());
  }

  /**
   * A stream has ended before its time.
   *
   * @return false if the connection has, as the service does not speak HTTP/2, or not as it must.
   */
  boolean streamEnded(StreamEnd how, int errorCode) {
    if (how == StreamEnd.UNPROCESSED
        && !http2.isGoingAway()
        && http2.streamCount() <= http2.peerSettings().maxStreams()) {
      health.refused(http2Loop.nowNs());
    }
    boolean isOurWord = how == StreamEnd.CONNECTION_LOST && errorCode != ErrorCode.NO_ERROR;
    return !isNoHttp2 && !isOurWord;
  }

  @Override
  public void goAwayReceived(int errorCode) {
    connections.goingAway(this);
  }

  @Override
  public void connectionEnded() {
    timer.leave();
    health.leave();
    connections.closed(this);
  }
}

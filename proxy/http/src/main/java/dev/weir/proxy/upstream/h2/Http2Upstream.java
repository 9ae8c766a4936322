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
  /** How long a connection without a stream is kept, if it is not the only one. */
  private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(60);

  /** The offset of a frame's type. */
  private static final int TYPE_OFFSET = 3;

  private static final int LOGGED_BYTES = 32;

  private static final long NO_TURN = -1;

  /** With a longer wait for the connection's window, other connections are preferred. */
  private static final long SHUT_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** With a longer wait of streams that do not hold the window, the connection is replaced. */
  private static final long REPLACED_NS = TimeUnit.SECONDS.toNanos(2);

  /** The connection itself, with its streams. */
  final Http2Connection http2;

  final ConnectionHealth health = new ConnectionHealth(this);
  final Http2UpstreamLoop http2Loop;
  private final Http2Connections connections;
  private final UpstreamLoop loop;
  private final Channel channel;
  private final Deadlines.Timer timer;
  private SocketAddress[] targets;
  private boolean isSettled;
  private boolean hasRead;
  private boolean isNoHttp2;

  /** Whether content has waited for its window for long. */
  private boolean isShut;

  /** The clients whose reset streams still have places, by slot. */
  private long[] resetClients = {};

  /** The first turn in which no more could be written; {@link #NO_TURN} if it can be. */
  private long fullSinceTurn = NO_TURN;

  Http2Upstream(Http2UpstreamLoop http2Loop, Http2Connections connections, Channel channel) {
    this.http2Loop = http2Loop;
    this.connections = connections;
    loop = http2Loop.upstream;
    this.channel = channel;
    timer = new Deadlines.Timer(() -> connections.timeIsUp(this));
    http2 =
        new Http2Connection(
            http2Loop.connections, Role.CLIENT, channel, http2Loop.observer, 0, this);
  }

  /** The channel handler of the connection. */
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

  /** Whether the service's settings have arrived. */
  boolean isSettled() {
    return isSettled;
  }

  /**
   * Whether there should be another connection: this one has many streams, much to send, or its
   * window is shut.
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

  /** Why the connection has ended before its settings arrived. */
  RefusalReason failure() {
    return isNoHttp2 ? RefusalReason.UPSTREAM_MALFORMED : RefusalReason.UPSTREAM_CLOSED;
  }

  /** Whether it has no stream, except reset ones. */
  boolean isIdle() {
    return http2.streamCount() == http2.unseenResets();
  }

  /** Ends the connection if it stays unused, as there are others. */
  void idle() {
    timer.until(http2Loop.nowNs() + IDLE_NS);
  }

  /** Keeps the connection, as it is used, or the only one. */
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

  /** Whether the first bytes may be a SETTINGS frame, with which HTTP/2 begins. */
  private static boolean beginsWithSettings(ByteBuf bytes) {
    return bytes.readableBytes() <= TYPE_OFFSET
        || bytes.getByte(bytes.readerIndex() + TYPE_OFFSET) == FrameType.SETTINGS;
  }

  /**
   * Keeps the place of a reset stream for its client, until the service has seen the reset; then
   * {@link Http2Pool#placeLeft} is called.
   */
  void keepPlace(int stream, long client) {
    if (stream >= resetClients.length) {
      resetClients = Arrays.copyOf(resetClients, Math.max(http2.slots(), 2 * stream));
    }
    resetClients[stream] = client;
    connections.roomChanged(this); // it may be idle now
  }

  /** Asks for the places of reset streams, if there are many or requests wait. */
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
   * Since when the first request waits for its response, of those that began to wait after {@code
   * afterNs}; {@link Deadlines#NEVER} if none does.
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

  /** Calls {@code told} for each stream of an exchange. */
  void forEachStream(Consumer<UpstreamStream> told) {
    for (int stream = 0; stream < http2.slots(); stream++) {
      UpstreamStream exchange = (UpstreamStream) http2.owner(stream);
      if (exchange != null) {
        told.accept(exchange);
      }
    }
  }

  /** Gives the connection no new streams, and opens another. */
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

  /** A head or content has arrived. */
  void answered() {
    health.answered();
    connections.answered(http2Loop.nowNs());
  }

  /**
   * A stream has ended early.
   *
   * @return false if the connection has ended too, as the service does not speak HTTP/2, or
   *     violates it.
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

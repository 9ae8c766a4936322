package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FrameType;
import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.Role;
import dev.weir.proxy.http2.StreamEnd;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.message.ResponseHead;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.ReplacementCause;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.upstream.ServiceTimer;
import dev.weir.proxy.upstream.UpstreamLoop;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One connection to a service of HTTP/2, whose streams are {@link UpstreamStream}s. */
final class Http2Upstream extends Http2Connection {
  /** How long one that is not the only one is kept without a stream. */
  private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(60);

  /** Where the type of a frame stands; its stream stands behind its flags. */
  private static final int TYPE_OFFSET = 3;

  private static final int LOGGED_BYTES = 32;

  private static final long NO_TURN = -1;

  /** After such a wait for its window other connections are better. */
  private static final long SHUT_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** After such a wait, of streams that do not hold the window themselves, it is replaced. */
  private static final long REPLACED_NS = TimeUnit.SECONDS.toNanos(2);

  private final Http2Connections connections;
  private final UpstreamLoop loop;
  private final Http2Messages messages;
  private final Channel channel;
  private final ServiceTimer timer;
  private final ConnectionHealth health = new ConnectionHealth(this);
  private SocketAddress[] targets;
  private boolean isSettled;
  private boolean hasRead;
  private boolean isNoHttp2;

  /** Whether content waits for its window for long. */
  private boolean isShut;

  /** Whose places the streams have that were reset, by slot. */
  private long[] resetClients = {};

  /**
   * The turn in which it was first seen that no more can be written; {@link #NO_TURN} if it can.
   */
  private long fullSinceTurn = NO_TURN;

  Http2Upstream(Http2Connections connections, Channel channel) {
    super(
        connections.http2().connections(), Role.CLIENT, channel, connections.http2().observer(), 0);
    this.connections = connections;
    loop = connections.http2().upstream();
    messages = connections.http2().messages();
    this.channel = channel;
    timer =
        new ServiceTimer() {
          @Override
          protected void onDeadline() {
            connections.timeIsUp(Http2Upstream.this);
          }
        };
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    if (channel.isActive()) {
      channelActive(ctx); // it comes behind a handshake
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    loop.deadlines().join(timer);
    loop.deadlines().join(health);
    timer.until(loop.clock().tick() + loop.settings().timeouts().connectNs());
    start();
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
    return isFull || isShut || 4 * streamCount() >= 3 * peerSettings().maxStreams();
  }

  /** Whether another connection is better for a new stream, if both have room. */
  boolean isWorseThan(Http2Upstream other) {
    return isShut == other.isShut ? streamCount() < other.streamCount() : isShut;
  }

  @Override
  protected void windowAwaited(long ns, long othersNs) {
    boolean wasShut = isShut;
    isShut = ns >= SHUT_NS;
    if (othersNs >= REPLACED_NS) {
      replace(ReplacementCause.SHUT_WINDOW);
    } else if (isShut && !wasShut) {
      connections.makeAnother();
    }
  }

  @Override
  protected boolean hasAnsweredSince(long ns) {
    return connections.answeredNs() >= ns;
  }

  /** Why there is no connection any more, if it ends before it is settled. */
  RefusalReason failure() {
    return isNoHttp2 ? RefusalReason.UPSTREAM_MALFORMED : RefusalReason.UPSTREAM_CLOSED;
  }

  /** Whether it has no stream but those that were reset. */
  boolean isIdle() {
    return streamCount() == unseenResets();
  }

  /** It has no stream, and another one would do. */
  void idle() {
    timer.until(loop.clock().nowNs() + IDLE_NS);
  }

  /** It is used, or is to stay. */
  void stay() {
    if (isSettled) {
      timer.until(Deadlines.NEVER);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (!hasRead && !beginsWithSettings(bytes)) {
      int shown = Math.min(LOGGED_BYTES, bytes.readableBytes());
      loop.addresses()
          .incidents()
          .notHttp2
          .noticed(
              channel.remoteAddress()
                  + " does not speak HTTP/2 (expected: SETTINGS first); its first bytes: "
                  + ByteBufUtil.hexDump(bytes, bytes.readerIndex(), shown));
      bytes.release();
      isNoHttp2 = true;
      channel.close();
      return;
    }
    hasRead = true;
    super.channelRead(ctx, message);
    health.read(loop.clock().nowNs());
  }

  /** Whether it may be that: less than so many bytes are not sent first by anybody. */
  private static boolean beginsWithSettings(ByteBuf bytes) {
    return bytes.readableBytes() <= TYPE_OFFSET
        || bytes.getByte(bytes.readerIndex() + TYPE_OFFSET) == FrameType.SETTINGS;
  }

  /** A request has had no answer in time; since when it has waited for one. */
  void overdue(long sinceNs) {
    health.overdue(sinceNs, loop.clock().nowNs());
  }

  /**
   * The place of a stream that was reset is its client's until the service has seen that; {@link
   * Http2Connections#placeLeft} is told then.
   */
  void keepPlace(int stream, long client) {
    if (stream >= resetClients.length) {
      resetClients = Arrays.copyOf(resetClients, Math.max(slots(), 2 * stream));
    }
    resetClients[stream] = client;
    connections.roomChanged(this); // it may be idle now
  }

  /** Asks for the places of streams that were reset, if they are many or others wait for them. */
  void askForPlaces() {
    boolean isNeeded = 4 * unseenResets() >= peerSettings().maxStreams() || connections.isAwaited();
    if (unaskedResets() > 0 && isNeeded && !isGoingAway()) {
      health.askForResets(loop.clock().nowNs());
    }
  }

  @Override
  protected long stalledNs() {
    return Math.max(super.stalledNs(), loop.settings().timeouts().responseNs());
  }

  @Override
  protected boolean keepsResets() {
    return true;
  }

  @Override
  protected void streamReset(int stream) {
    UpstreamStream call = (UpstreamStream) user(stream);
    if (call != null) {
      connections.http2().resets().count(call.client(), loop.clock().nowNs());
    }
  }

  @Override
  protected void resetSeen(int stream) {
    connections.placeLeft(resetClients[stream]);
  }

  @Override
  protected void turnEnding() {
    askForPlaces();
  }

  /** A request waits for the first of its answer. */
  void awaited(long nowNs) {
    health.awaited(nowNs);
  }

  /**
   * Since when the first request waits for the first of its answer, of those that have waited since
   * later than {@code afterNs}; {@link Deadlines#NEVER} if none does.
   */
  long awaitedSince(long afterNs) {
    long sinceNs = Deadlines.NEVER;
    for (int stream = 0; stream < slots(); stream++) {
      UpstreamStream call = (UpstreamStream) user(stream);
      if (call != null && call.waitsSinceNs() > afterNs) {
        sinceNs = Math.min(sinceNs, call.waitsSinceNs());
      }
    }
    return sinceNs;
  }

  /** Tells of each call that has a stream. */
  void forEachCall(Consumer<UpstreamStream> told) {
    for (int stream = 0; stream < slots(); stream++) {
      UpstreamStream call = (UpstreamStream) user(stream);
      if (call != null) {
        told.accept(call);
      }
    }
  }

  long nowNs() {
    return loop.clock().nowNs();
  }

  /** It is to get no new streams. */
  void replace(ReplacementCause cause) {
    connections.replace(this, cause);
  }

  @Override
  protected void pingAnswered(long data) {
    health.pingAnswered(data);
  }

  @Override
  protected void acknowledged() {
    health.isThere();
  }

  @Override
  protected void settingsReceived() {
    if (!isSettled) {
      isSettled = true;
      timer.until(Deadlines.NEVER);
    }
    connections.settled(this);
  }

  @Override
  protected void roomChanged() {
    connections.roomChanged(this);
  }

  @Override
  protected void headReceived(int stream, FieldBlock fields, boolean endStream) {
    answered();
    UpstreamStream call = (UpstreamStream) user(stream);
    if (call == null) {
      return;
    }
    ResponseHead head = messages.head();
    if (!head.readHead(fields, call.headMethod(), endStream)) {
      call.malformed();
      return;
    }
    if (!head.informational() && !endStream && !call.agreesToWebSocket(head)) {
      if (!head.hasBody()) {
        expectContent(stream, 0);
      } else if (head.contentLength() >= 0) {
        expectContent(stream, head.contentLength());
      }
    }
    if (!call.headReceived(head, endStream)) {
      call.malformed();
    }
  }

  /** A head has come, or content. */
  private void answered() {
    health.answered();
    connections.answered(loop.clock().nowNs());
  }

  @Override
  protected int dataReceived(int stream, ByteBuf in, int offset, int bytes, boolean endStream) {
    answered();
    UpstreamStream call = (UpstreamStream) user(stream);
    return call == null ? 0 : call.dataReceived(in, offset, bytes, endStream);
  }

  @Override
  protected void trailersReceived(int stream, FieldBlock fields) {
    UpstreamStream call = (UpstreamStream) user(stream);
    if (call != null) {
      RequestView trailers = messages.head().readTrailers(fields);
      if (trailers == null) {
        call.malformed();
      } else {
        call.trailersReceived(trailers);
      }
    }
  }

  @Override
  protected void streamEnded(int stream, StreamEnd how, int errorCode) {
    if (how == StreamEnd.UNPROCESSED
        && !isGoingAway()
        && streamCount() <= peerSettings().maxStreams()) {
      health.refused(loop.clock().nowNs());
    }
    UpstreamStream call = (UpstreamStream) user(stream);
    if (call != null) {
      if (how == StreamEnd.UNREAD) {
        connections.http2().resets().sendApart(call.client(), loop.clock().nowNs());
      }
      boolean isOurWord = how == StreamEnd.CONNECTION_LOST && errorCode != ErrorCode.NO_ERROR;
      if (isNoHttp2 || isOurWord) {
        call.malformed();
      } else {
        call.streamEnded(how, errorCode);
      }
    }
  }

  @Override
  protected void bytesSent(int stream, int bytes) {
    UpstreamStream call = (UpstreamStream) user(stream);
    if (call != null) {
      call.bytesSent(bytes);
    }
  }

  @Override
  protected void goAwayReceived(int errorCode) {
    connections.goingAway(this);
  }

  @Override
  protected void connectionEnded() {
    timer.leave();
    health.leave();
    connections.closed(this);
  }
}

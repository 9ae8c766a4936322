package dev.weir.proxy.http2;

import dev.weir.proxy.loop.Bytes;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.TurnEnd;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * One side of an HTTP/2 connection (RFC 9113), for whoever has its streams: frames, fields,
 * settings, windows both ways, and what an abusive peer is given. Knows nothing of what the streams
 * are for.
 *
 * <p><b>A stream</b> is the number of its slot. What it is for is an object that its user gives
 * ({@link #user}). It is told of until {@link #streamEnded} is told, or until the user calls {@link
 * #release}, which must come in the end in either case: only then is its slot used again, and does
 * it no longer count against the most that may be open.
 *
 * <p><b>Content received</b> is lent during {@link #dataReceived}. What of it the user holds counts
 * against the peer until {@link #credit}. <b>Content sent</b> is taken over by {@link #sendData};
 * what of it waits is told by {@link #bytesSent} as it leaves. Trailers and the end wait behind it.
 * All that is written goes out at the end of the loop's turn.
 *
 * <p>All calls are on the connection's event loop. No object is made for a frame, a field or a
 * stream.
 */
public abstract class Http2Connection extends StreamEvents implements TurnEnd.Member {
  /** No stream: none may be opened now. */
  public static final int NO_STREAM = StreamSlots.NONE;

  /** The window that each stream begins with, both ways: the one of the standard. */
  public static final int WINDOW_BYTES = Setting.DEFAULT_WINDOW_BYTES;

  /**
   * What one connection may hold of what it has received, unless its user says otherwise, and but
   * for what comes by windows that have grown.
   */
  public static final long MAX_RECEIVED_BYTES = 1L << 20;

  /** Far enough before the last identifier that there is: the connection is drained in time. */
  static final int LAST_ID = 1 << 30;

  private static final int MAX_UNSENT_CONTROL_FRAMES = 1_000;
  private static final byte[] NO_DEBUG_TEXT = {};

  private enum State {
    /** Nothing has been said. */
    NEW,
    OPEN,
    /** The last has been said; what comes is thrown away. */
    ENDING,
    CLOSED
  }

  final Http2Loop loop;
  final Role role;
  final Channel channel;
  final Http2Observer observer;
  final PeerSettings peer = new PeerSettings();
  final Http2Output output;
  final StreamSlots streams = new StreamSlots();
  final StreamStates states;
  final UnseenResets unseenResets;
  final ReceiveWindows windows;
  final SendQueue queue;
  final StalledStreams stalled;
  final PeerConduct conduct;
  final ConnectionTimer timer;
  final GoAways goAways;
  final HeldBound bound;
  private final Http2Input input;

  private State state = State.NEW;
  private boolean inTurn;
  private int unsentControlFrames;
  private int nextId = 1;

  /**
   * @param maxPeerStreams that the peer may have open; 0 if it opens none, as a server.
   */
  @SuppressWarnings("this-escape") // to its own parts, which call it later only
  protected Http2Connection(
      Http2Loop loop, Role role, Channel channel, Http2Observer observer, int maxPeerStreams) {
    this.observer = observer;
    this.loop = loop;
    this.role = role;
    this.channel = channel;
    output = new Http2Output(channel);
    states = new StreamStates(this, streams, maxPeerStreams);
    unseenResets = new UnseenResets(this, streams);
    windows = new ReceiveWindows(this, streams);
    queue = new SendQueue(streams, output, this);
    stalled = new StalledStreams(this, streams);
    conduct = new PeerConduct(this);
    timer = new ConnectionTimer(this, loop.deadlines);
    goAways = new GoAways(this);
    bound = new HeldBound(this);
    input = new Http2Input(this);
  }

  /** Begins the connection, whose channel is active. */
  protected final void start() {
    state = State.OPEN;
    observer.connectionOpened();
    timer.start();
    if (role == Role.CLIENT) {
      loop.serviceConnected(this);
      output.preface();
      output.settings(
          Setting.ENABLE_PUSH, 0, Setting.MAX_HEADER_LIST_SIZE, loop.block.maxListBytes());
    } else {
      loop.clientConnected();
      startAsServer();
    }
    windows.start();
    joinTurn();
  }

  private void startAsServer() {
    final int listBytes = loop.block.maxListBytes();
    if (takesTunnels()) {
      output.settings(
          Setting.MAX_CONCURRENT_STREAMS,
          states.maxPeerStreams(),
          Setting.MAX_HEADER_LIST_SIZE,
          listBytes,
          Setting.ENABLE_CONNECT_PROTOCOL,
          1);
    } else {
      output.settings(
          Setting.MAX_CONCURRENT_STREAMS,
          states.maxPeerStreams(),
          Setting.MAX_HEADER_LIST_SIZE,
          listBytes);
    }
  }

  /** Whether {@link #open} would open a stream. */
  public final boolean hasRoom() {
    return state == State.OPEN
        && role == Role.CLIENT
        && !goAways.isGoing()
        && nextId < LAST_ID
        && streams.count() < peer.maxStreams();
  }

  /**
   * Opens a stream, as a client.
   *
   * @param user is the stream's.
   * @return {@link #NO_STREAM} if there is no room.
   */
  public final int open(Object user) {
    if (!hasRoom()) {
      return NO_STREAM;
    }
    final int stream = states.open(nextId);
    nextId += 2;
    if (nextId >= LAST_ID) {
      drain();
    }
    streams.users[stream] = user;
    return stream;
  }

  /** Sends a head, or one before it (1xx), that was encoded before; {@code block} is taken over. */
  public final void sendHead(int stream, ByteBuf block, boolean endStream) {
    if (isSending(stream)) {
      output.headers(streams.id(stream), block, endStream);
      headSent(stream, endStream);
    } else {
      block.release();
    }
  }

  /** Sends a head that was encoded before, as {@link HpackEncoder} does. */
  public final void sendHead(int stream, byte[] block, boolean endStream) {
    if (isSending(stream)) {
      output.headers(streams.id(stream), block, endStream);
      headSent(stream, endStream);
    }
  }

  /**
   * Begins a head, whose fields are then written by a {@link FieldEncoder}, and nothing else until
   * {@link #endHead}. Only while {@link #isSending}.
   *
   * @return where the fields go.
   */
  public final ByteBuf beginHead(int stream) {
    return output.beginHeaders(streams.id(stream));
  }

  /** Ends the head that was begun, which also may end the stream. */
  public final void endHead(int stream, boolean endStream) {
    output.endHeaders(streams.id(stream), endStream);
    headSent(stream, endStream);
  }

  private void headSent(int stream, boolean endStream) {
    streams.flags[stream] |= StreamSlots.HEAD_SENT;
    if (endStream) {
      states.localEnded(stream);
    }
    joinTurn();
  }

  /**
   * Sends content, which is taken over; it may be empty.
   *
   * @param endStream whether it is the last, and no trailers follow.
   * @return how much of it waits, until {@link #bytesSent}.
   */
  public final int sendData(int stream, ByteBuf content, boolean endStream) {
    if (!isSending(stream)) {
      content.release();
      return 0;
    }
    final int left = queue.send(stream, content, endStream);
    content.release();
    joinTurn();
    return left;
  }

  /**
   * Sends content that stays the caller's, and ends the stream.
   *
   * @param content has it in its first {@code bytes}.
   */
  public final void sendLast(int stream, byte[] content, int bytes) {
    sendData(stream, content, bytes, true);
  }

  /**
   * Sends content that stays the caller's.
   *
   * @param content has it in its first {@code bytes}.
   * @param endStream whether it is the last, and no trailers follow.
   * @return how much of it waits, until {@link #bytesSent}.
   */
  public final int sendData(int stream, byte[] content, int bytes, boolean endStream) {
    joinTurn();
    return isSending(stream) && !queue.sendAtOnce(stream, content, bytes, endStream)
        ? sendData(
            stream, channel.alloc().directBuffer(bytes).writeBytes(content, 0, bytes), endStream)
        : 0;
  }

  /** Sends trailers, which end the stream; {@code block} is taken over. */
  public final void sendTrailers(int stream, ByteBuf block) {
    if (isSending(stream)) {
      joinTurn();
      queue.trailers(stream, block);
    } else {
      block.release();
    }
  }

  /** Sends trailers that were encoded before, as {@link HpackEncoder} does; they end the stream. */
  public final void sendTrailers(int stream, byte[] block) {
    if (isSending(stream)) {
      joinTurn();
      queue.trailers(stream, block);
    }
  }

  /** Where what is written next begins, in all that is ever written. */
  public final long writtenBytes() {
    return output.writtenBytes();
  }

  /** Whether nothing has been sent of what was written from a place on. */
  public final boolean isUnsent(long offset) {
    return output.flushedBytes() <= offset;
  }

  /** Whether anything may be sent on a stream: neither side has reset it, and it has no end yet. */
  public final boolean isSending(int stream) {
    return state == State.OPEN
        && !streams.has(
            stream, StreamSlots.RESET | StreamSlots.LOCAL_ENDED | StreamSlots.END_WAITS);
  }

  /** Ends a stream at once, both ways; nothing more is told of it. It still is to be released. */
  public final void reset(int stream, int errorCode) {
    if (state == State.OPEN && !states.isClosed(stream)) {
      stalled.resetByUser(stream);
      states.reset(stream, errorCode);
    }
  }

  /**
   * Resets a stream whose message only the user can tell to be none (RFC 9113, section 8.1.1), as a
   * fault of the peer's.
   */
  protected final void malformed(int stream) {
    final int error = conduct.fault(stream, ErrorCode.PROTOCOL_ERROR);
    if (error != ErrorCode.NO_ERROR) {
      failFor(error);
    }
  }

  /**
   * Lets go of a stream: what it was for has ended. Nothing more is told of it. What waits is still
   * sent, and what still comes is thrown away.
   */
  public final void release(int stream) {
    states.released(stream);
  }

  /** Content that was held has been consumed. */
  public final void credit(int stream, int bytes) {
    windows.credit(stream, bytes);
  }

  /**
   * Content that is held stays so, and the peer may send as much again: what one message needs may
   * be more than a window.
   */
  public final void widen(int stream, int bytes) {
    windows.give(stream, bytes);
  }

  /**
   * Says how long the content is that will come, by the head's own word: more or less of it is a
   * fault of the peer's. To be said within {@link #headReceived}.
   *
   * @param bytes 0 or more.
   */
  protected final void expectContent(int stream, long bytes) {
    streams.expect(stream, bytes);
  }

  /**
   * Says how long the peer waits for an answer, by the head's own word: to reset the stream when
   * half of it is over is no abuse, as it may have waited longer than we can see. To be said within
   * {@link #headReceived}.
   *
   * @param ns 0 or more; {@link Long#MAX_VALUE} if it does not say.
   */
  protected final void expectReset(int stream, long ns) {
    final long sinceNs = streams.oldNs[stream] - ResetBudget.OLD_NS;
    streams.oldNs[stream] = sinceNs + Math.min(ResetBudget.OLD_NS, ns / 2);
  }

  /** The stream is a tunnel from now on, of which the peer ends its half when it likes. */
  public final void becomeTunnel(int stream) {
    streams.flags[stream] |= StreamSlots.TUNNEL;
  }

  /** Whether the peer has said all that it has to say on a stream. */
  public final boolean isRemoteEnded(int stream) {
    return streams.has(stream, StreamSlots.REMOTE_ENDED);
  }

  /** The stream's identifier. */
  public final int id(int stream) {
    return streams.id(stream);
  }

  /** What the user has given a stream; null if nothing, or if it is released. */
  public final Object user(int stream) {
    return streams.users[stream];
  }

  /** Gives a stream what it is for. */
  protected final void user(int stream, Object user) {
    streams.users[stream] = user;
  }

  /** One more than the highest number of a stream that there ever was. */
  protected final int slots() {
    return streams.slots();
  }

  /** How many streams there are, with those that only linger. */
  public final int streamCount() {
    return streams.count();
  }

  /** Whether a stream keeps its slot that we have reset, as the peer may not know. */
  public final boolean isResetUnseen(int stream) {
    return streams.has(stream, StreamSlots.RESET_UNSEEN);
  }

  /** How many streams keep their slots, as the peer may not know that we have reset them. */
  public final int unseenResets() {
    return unseenResets.count();
  }

  /** How many of them {@link #resetsAsked} has not been called for. */
  protected final int unaskedResets() {
    return unseenResets.unaskedCount();
  }

  /** Something has been sent that the peer answers, behind all resets up to now. */
  public final void resetsAsked() {
    unseenResets.asked();
  }

  /**
   * The peer has answered what it was asked last: the streams that were reset before have ended.
   */
  public final void resetsSeen() {
    unseenResets.seen();
  }

  /** Received bytes that are held, and the memory of what waits to be sent. */
  public final long heldBytes() {
    return bound.heldBytes();
  }

  /**
   * The head of a stream's request waits, and counts as held.
   *
   * @param bytes of memory that it takes; 0 if it waits no more.
   */
  protected final void holdHead(int stream, int bytes) {
    windows.holdHead(stream, bytes);
  }

  /** Received bytes of a stream's content that are held. */
  public final int heldBytes(int stream) {
    return streams.heldBytes[stream];
  }

  /** What the peer has said of itself. */
  public final PeerSettings peerSettings() {
    return peer;
  }

  /** Whether the connection takes no new streams, by the peer's will or ours. */
  public final boolean isGoingAway() {
    return state != State.OPEN || goAways.isGoing();
  }

  /**
   * Asks the peer whether it is there.
   *
   * @param data what its answer will have, which {@link #pingAnswered} tells.
   */
  public final void ping(long data) {
    output.ping(data);
    joinTurn();
  }

  /**
   * Asks the peer whether it is there by settings that change nothing, whose acknowledgement {@link
   * #acknowledged} tells.
   *
   * @return whether it is asked; not while other settings wait for theirs.
   */
  public final boolean askForAcknowledgement() {
    if (!peer.isAckReceived() || windows.awaitsAcknowledgement() || peer.isAsked()) {
      return false;
    }
    peer.asked(true);
    output.settings();
    joinTurn();
    return true;
  }

  /** Lets the streams end, takes no new ones, and then ends. */
  public final void drain() {
    if (state == State.OPEN) {
      goAways.drain();
    }
  }

  /** Ends the connection with an error, which the peer is told. */
  public final void fail(int errorCode, String debugText) {
    fail(errorCode, debugText.getBytes(StandardCharsets.US_ASCII));
  }

  /** Ends the connection with an error of the peer's. */
  final void failFor(int errorCode) {
    fail(errorCode, conduct.debugText());
  }

  private void fail(int errorCode, byte[] debugText) {
    if (state != State.OPEN) {
      return;
    }
    output.goAway(goAways.lastStreamId(), errorCode, debugText);
    observer.goAwaySent(errorCode);
    end(errorCode);
  }

  /** Ends the connection at once; the peer is told nothing more. */
  public final void close() {
    channel.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    final ByteBuf bytes = (ByteBuf) message;
    loop.clock.tick();
    if (state == State.OPEN) {
      input.read(bytes);
    } else {
      bytes.release();
    }
  }

  /**
   * Says whether the user wants to be told more. What it does not want stays unread, windows and
   * resets of the peer's too: it must not be for long.
   */
  protected final void readOn(boolean wanted) {
    input.readOn(wanted);
  }

  /** Reading stops for a moment, where it is. */
  final void pauseReading() {
    timer.pause();
    input.adjust();
  }

  /** It has become another thing whether more is read. */
  final void adjustReading() {
    input.adjust();
  }

  /** Reads on what was left when the reading stopped. */
  final void resume() {
    input.resume();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      channel.close(); // without windows and resets of the peer's nothing can go on
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (channel.isWritable()) {
      joinTurn();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (state == State.CLOSED) {
      return;
    }
    if (state != State.NEW) {
      observer.connectionClosed();
      if (role == Role.SERVER) {
        loop.clientLeft();
      } else {
        loop.serviceLeft(this);
      }
    }
    state = State.CLOSED;
    states.endAll(ErrorCode.NO_ERROR);
    timer.leave();
    input.close();
    output.discard();
    connectionEnded();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      channel.close();
    } else {
      failed(cause);
    }
  }

  /** Something of ours has failed: this connection ends, and no other. */
  public final void failed(Throwable bug) {
    InternalErrors.caught("a connection of HTTP/2", bug);
    if (state == State.OPEN) {
      fail(ErrorCode.INTERNAL_ERROR, NO_DEBUG_TEXT);
    } else {
      channel.close();
    }
  }

  final void joinTurn() {
    if (!inTurn && state == State.OPEN) {
      inTurn = true;
      loop.turnEnd.join(this);
    }
  }

  @Override
  public final void turnEnded() {
    inTurn = false;
    if (state != State.OPEN) {
      return;
    }
    turnEnding();
    states.endLingering();
    do {
      queue.pump();
      output.flush();
    } while (queue.isReady() && channel.isWritable() && state == State.OPEN);
    if (output.unsentBytes() == 0) {
      unsentControlFrames = 0;
    } else if (unsentControlFrames > MAX_UNSENT_CONTROL_FRAMES) {
      channel.close();
      return;
    }
    states.turnEnded();
    input.turnEnded();
    bound.look();
    goAways.endIfDone();
  }

  /** A frame that answers the peer's, of which it may make us send any number. */
  final void controlFrame() {
    unsentControlFrames++;
    joinTurn();
  }

  /** Whether anything may still be read and written. */
  final boolean isOpen() {
    return state == State.OPEN;
  }

  /** All has been said: the streams are told, and the channel closes once the peer has heard. */
  final void end(int errorCode) {
    state = State.ENDING;
    states.endAll(errorCode);
    output.flush();
    if (errorCode == ErrorCode.NO_ERROR) {
      timer.closeWhenTaken();
    } else {
      timer.closeSoon();
    }
    Bytes.endOutput(channel, timer::closeSoon);
  }
}

package dev.weir.proxy.http2;

import dev.weir.proxy.loop.Bytes;
import dev.weir.proxy.loop.InboundHandler;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.TurnEnd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * One side of an HTTP/2 connection (RFC 9113), for whoever has its streams: frames, fields,
 * settings, windows both ways, and what an abusive peer is given. Knows nothing of what the streams
 * are for.
 *
 * <p><b>A stream</b> is the number of its slot. What it is for is an object that its user gives
 * ({@link #user}). It is told of until {@link #streamEnded} is told, or until the user calls {@link
 * #release}, which must come in the end in either case: only then is its slot used again, and does
 * it no longer count against the most that may be open. Within a call that tells of a stream, the
 * user may do anything with it, and to others.
 *
 * <p><b>Content received</b> is lent during {@link #dataReceived}. What of it the user holds counts
 * against the peer until {@link #credit}. <b>Content sent</b> is taken over by {@link #sendData};
 * what of it waits is told by {@link #bytesSent} as it leaves. Trailers and the end wait behind it.
 * All that is written goes out at the end of the loop's turn.
 *
 * <p>All calls are on the connection's event loop. No object is made for a frame, a field or a
 * stream.
 */
public abstract class Http2Connection extends InboundHandler implements TurnEnd.Member {
  /** No stream: none may be opened now. */
  public static final int NO_STREAM = StreamSlots.NONE;

  /** The window of each stream, both ways: the one of the standard. */
  public static final int WINDOW_BYTES = Setting.DEFAULT_WINDOW_BYTES;

  /** What one connection may hold of what it has received, unless its user says otherwise. */
  public static final long MAX_RECEIVED_BYTES = 1L << 20;

  /** The window of the connection, which bounds nothing. */
  static final int CONNECTION_WINDOW_BYTES = 1 << 30;

  /** Far enough before the last identifier that there is: the connection is drained in time. */
  static final int LAST_ID = 1 << 30;

  /** A stream with content that goes nowhere, and one that takes less than 1 KiB/s. */
  private static final long STALLED_NS = TimeUnit.SECONDS.toNanos(30);

  private static final long PACE_NS = TimeUnit.SECONDS.toNanos(60);
  private static final int MIN_PACE_BYTES = 60 * 1024;

  /** So many streams of a connection may be reset for that. */
  private static final int MAX_STALLED = 3;

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
  final StreamSlots streams = new StreamSlots();
  final ClosedStreams closed = new ClosedStreams();
  final Http2Output output;
  final SendQueue queue;
  final PeerSettings peer = new PeerSettings();
  private final ReceivedFrames frames;
  private final FrameReader reader = new FrameReader(Http2Loop.MAX_BLOCK_BYTES);
  private final ConnectionTimer timer;
  private final GoAways goAways;
  private final HeldBound bound;
  private final UnsentEnds unsentEnds;
  private final int maxPeerStreams;

  private State state = State.NEW;
  private ByteBuf in;
  private boolean isReading;
  private boolean unwanted;
  private boolean inTurn;
  private boolean prefaceRead;
  private int turnHead = StreamSlots.NONE;
  private int unsentControlFrames;
  private int stalledCount;
  private int nextId = 1;
  private long heldBytes;
  private long heldReceivedBytes;

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
    this.maxPeerStreams = maxPeerStreams;
    unsentEnds = new UnsentEnds(maxPeerStreams);
    output = new Http2Output(channel);
    queue = new SendQueue(streams, output, this);
    frames = new ReceivedFrames(this);
    timer = new ConnectionTimer(this, loop.deadlines);
    goAways = new GoAways(this);
    bound = new HeldBound(this);
  }

  /**
   * A head has come: of a new stream, as a server, which the user gives an object; as a client,
   * that of a response or one before it (1xx). Neither malformed nor more than may be: but it may
   * be {@link FieldBlock#tooLarge}.
   *
   * @param fields valid during the call.
   */
  protected abstract void headReceived(int stream, FieldBlock fields, boolean endStream);

  /**
   * Some content has come; or none, and the end.
   *
   * @param in has it in the {@code bytes} from {@code offset} on, wherever its indices are.
   * @return how much of it is held, until {@link #credit}; from 0 to {@code bytes}.
   */
  protected abstract int dataReceived(
      int stream, ByteBuf in, int offset, int bytes, boolean endStream);

  /**
   * Trailers have come, which end the stream. They have no pseudo fields.
   *
   * @param fields valid during the call; may be {@link FieldBlock#tooLarge}.
   */
  protected abstract void trailersReceived(int stream, FieldBlock fields);

  /**
   * The stream has ended before its time; nothing more is told of it. The user still has to {@link
   * #release} it.
   *
   * @param errorCode the peer's, or the one that it was told.
   */
  protected abstract void streamEnded(int stream, StreamEnd how, int errorCode);

  /** Content that waited since {@link #sendData} has gone into the output. */
  protected abstract void bytesSent(int stream, int bytes);

  /** A slot has become free. */
  protected void roomChanged() {}

  /** What may be held of what has been received, in bytes. */
  protected long maxReceivedBytes() {
    return MAX_RECEIVED_BYTES;
  }

  /** The peer's settings have come, the first or others: it may allow more streams, or fewer. */
  protected void settingsReceived() {}

  /**
   * The peer takes no new streams. Those of ours that it has not looked at have been told so.
   *
   * @param errorCode why.
   */
  protected void goAwayReceived(int errorCode) {}

  /** The connection has ended, and its streams have been told. */
  protected abstract void connectionEnded();

  /** Begins the connection, whose channel is active. */
  protected final void start() {
    state = State.OPEN;
    observer.connectionOpened();
    timer.start();
    if (role == Role.CLIENT) {
      output.preface();
      output.settings(
          Setting.ENABLE_PUSH, 0, Setting.MAX_HEADER_LIST_SIZE, loop.block.maxListBytes());
    } else {
      loop.clientConnected();
      output.settings(
          Setting.MAX_CONCURRENT_STREAMS,
          maxPeerStreams,
          Setting.MAX_HEADER_LIST_SIZE,
          loop.block.maxListBytes());
    }
    output.windowUpdate(0, CONNECTION_WINDOW_BYTES - Setting.DEFAULT_WINDOW_BYTES);
    joinTurn();
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
    final int stream = openStream(nextId);
    nextId += 2;
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
    if (endStream) {
      localEnded(stream);
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

  /** Whether anything may be sent on a stream: neither side has reset it, and it has no end yet. */
  public final boolean isSending(int stream) {
    return state == State.OPEN
        && !streams.has(
            stream, StreamSlots.RESET | StreamSlots.LOCAL_ENDED | StreamSlots.END_WAITS);
  }

  /** Ends a stream at once, both ways; nothing more is told of it. It still is to be released. */
  public final void reset(int stream, int errorCode) {
    if (state == State.OPEN && !isClosed(stream)) {
      if (role == Role.SERVER
          && streams.waiting[stream] != null
          && loop.clock.nowNs() - streams.stalledNs[stream] >= STALLED_NS) {
        stalledCount++; // the user has seen it first
      }
      writeReset(streams.id(stream), errorCode);
      closed.reset(streams.id(stream));
      closeStream(stream);
    }
  }

  /**
   * Resets a stream whose message only the user can tell to be none (RFC 9113, section 8.1.1), as a
   * fault of the peer's.
   */
  protected final void malformed(int stream) {
    final int error = frames.malformed(stream);
    if (error != ErrorCode.NO_ERROR) {
      fail(error, frames.debugText());
    }
  }

  /**
   * Lets go of a stream: what it was for has ended. Nothing more is told of it. What waits is still
   * sent, and what still comes is thrown away.
   */
  public final void release(int stream) {
    streams.flags[stream] |= StreamSlots.RELEASED;
    streams.users[stream] = null;
    unhold(stream, streams.heldBytes[stream]);
    lingerIfAnswered(stream);
    freeIfDone(stream);
  }

  /** Content that was held has been consumed. */
  public final void credit(int stream, int bytes) {
    unhold(stream, bytes);
    giveWindow(stream, bytes);
  }

  /**
   * Content that is held stays so, and the peer may send as much again: what one message needs may
   * be more than a window.
   */
  public final void widen(int stream, int bytes) {
    giveWindow(stream, bytes);
  }

  /**
   * Says how long the content is that will come, by the head's own word: more or less of it is a
   * fault of the peer's. To be said within {@link #headReceived}.
   *
   * @param bytes 0 or more.
   */
  protected final void expectContent(int stream, long bytes) {
    streams.flags[stream] |= StreamSlots.LENGTH_KNOWN;
    streams.contentLeft[stream] = bytes;
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

  /** How many streams there are, with those that only linger. */
  public final int streamCount() {
    return streams.count();
  }

  /** Received bytes that are held, and bytes that wait to be sent. */
  public final long heldBytes() {
    return heldBytes;
  }

  /** Received bytes of a stream that are held. */
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

  final void fail(int errorCode, byte[] debugText) {
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
    if (state != State.OPEN) {
      bytes.release();
      return;
    }
    final int length = bytes.readableBytes();
    in = Bytes.append(in, bytes);
    readFrames(length);
  }

  /**
   * Reads as many frames as there are bytes for.
   *
   * @param bytes that have come since it was called last.
   */
  private void readFrames(int bytes) {
    if (isReading || in == null) {
      return;
    }
    isReading = true;
    try {
      int error = frames.read(bytes);
      int before = -1;
      while (error == ErrorCode.NO_ERROR
          && state == State.OPEN
          && in.readableBytes() != before
          && in.isReadable()
          && !frames.isPaused()) {
        before = in.readableBytes();
        error = prefaceRead || role == Role.CLIENT ? reader.read(in, frames) : readPreface();
      }
      if (error != ErrorCode.NO_ERROR) {
        fail(error, frames.debugText());
      }
    } catch (RuntimeException | Error bug) {
      failed(bug);
    } finally {
      isReading = false;
      keepRest();
    }
    timer.blockIsOpen(reader.isInBlock());
    bound.look();
  }

  private int readPreface() {
    final int bytes = Math.min(in.readableBytes(), ClientPreface.BYTES);
    if (!ClientPreface.mayBegin(in)) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    if (bytes == ClientPreface.BYTES) {
      in.skipBytes(bytes);
      prefaceRead = true;
    }
    return ErrorCode.NO_ERROR;
  }

  /** A part of a frame waits in memory of its own size, and not in that of a whole read. */
  private void keepRest() {
    if (in == null) {
      return;
    }
    if (!in.isReadable() || state != State.OPEN) {
      in.release();
      in = null;
    } else if (in.capacity() > 2 * in.readableBytes() + FrameReader.HEADER_BYTES) {
      final ByteBuf rest = channel.alloc().directBuffer(in.readableBytes());
      rest.writeBytes(in);
      in.release();
      in = rest;
    }
  }

  /**
   * Says whether the user wants to be told more. What it does not want stays unread, windows and
   * resets of the peer's too: it must not be for long.
   */
  protected final void readOn(boolean wanted) {
    unwanted = !wanted;
    adjustReading();
  }

  /** Reading stops for a moment, where it is. */
  final void pauseReading() {
    timer.pause();
    adjustReading();
  }

  final void adjustReading() {
    final boolean read = !unwanted && !timer.isPaused() && !bound.isReached();
    if (channel.isOpen() && channel.config().isAutoRead() != read) {
      channel.config().setAutoRead(read);
    }
  }

  /** Reads on what was left when the reading stopped. */
  final void resume() {
    adjustReading();
    readFrames(0);
    joinTurn();
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
      }
    }
    state = State.CLOSED;
    endStreams(ErrorCode.NO_ERROR);
    timer.leave();
    reader.close();
    output.discard();
    keepRest();
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

  final ByteBufAllocator allocator() {
    return channel.alloc();
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
    endLingering();
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
    if (!output.isFull()) {
      unsentEnds.clear();
    }
    bound.look();
    goAways.endIfDone();
  }

  /** A frame that answers the peer's, of which it may make us send any number. */
  final void controlFrame() {
    unsentControlFrames++;
    joinTurn();
  }

  final void writeReset(int streamId, int errorCode) {
    output.reset(streamId, errorCode);
    observer.resetSent(errorCode);
    controlFrame();
  }

  /** Whether the peer may open one more: one counts until the peer can know of its end. */
  final boolean mayOpenPeerStream() {
    return streams.count() + unsentEnds.count(output) < maxPeerStreams;
  }

  final int openStream(int id) {
    observer.streamOpened();
    closed.open(id);
    return streams.open(id, peer.initialWindow(), WINDOW_BYTES);
  }

  final boolean isClosed(int stream) {
    return streams.has(stream, StreamSlots.RESET)
        || streams.has(stream, StreamSlots.LOCAL_ENDED)
            && streams.has(stream, StreamSlots.REMOTE_ENDED);
  }

  /** We have said all we had to say on a stream, and it is in the output. */
  final void localEnded(int stream) {
    streams.flags[stream] |= StreamSlots.LOCAL_ENDED;
    lingerIfAnswered(stream);
    freeIfDone(stream);
  }

  final void remoteEnded(int stream) {
    streams.flags[stream] |= StreamSlots.REMOTE_ENDED;
    freeIfDone(stream);
  }

  /** Both sides are done with a stream, by a reset. */
  final void closeStream(int stream) {
    streams.flags[stream] |= StreamSlots.RESET;
    queue.discard(stream);
    freeIfDone(stream);
  }

  /** A stream of which we have said all is looked at again when the turn ends. */
  private void lingerIfAnswered(int stream) {
    if (role == Role.SERVER
        && streams.has(stream, StreamSlots.LOCAL_ENDED)
        && !streams.has(stream, StreamSlots.REMOTE_ENDED | StreamSlots.RESET)
        && !streams.has(stream, StreamSlots.IN_TURN)) {
      streams.flags[stream] |= StreamSlots.IN_TURN;
      streams.next[stream] = turnHead;
      turnHead = stream;
      joinTurn();
    }
  }

  /** Who was answered, and has not said all by the end of the turn, is told not to. */
  private void endLingering() {
    while (turnHead != StreamSlots.NONE) {
      final int stream = turnHead;
      turnHead = streams.next[stream];
      streams.flags[stream] &= ~StreamSlots.IN_TURN;
      if (!isClosed(stream)) {
        writeReset(streams.id(stream), ErrorCode.NO_ERROR);
        closed.reset(streams.id(stream));
        streams.flags[stream] |= StreamSlots.RESET;
      }
      freeIfDone(stream);
    }
  }

  /** Frees the slot of a stream that both sides and the user are done with. */
  final void freeIfDone(int stream) {
    if (streams.has(stream, StreamSlots.RELEASED)
        && !streams.has(stream, StreamSlots.IN_TURN | StreamSlots.IN_RING)
        && isClosed(stream)) {
      if (!streams.has(stream, StreamSlots.RESET)) {
        frames.streamCompleted();
      }
      observer.streamClosed();
      streams.free(stream);
      if (output.isFull()) {
        unsentEnds.add(output.writtenBytes());
      }
      if (goAways.isGoing()) {
        joinTurn();
      }
      roomChanged();
    }
  }

  final void hold(int bytes) {
    heldBytes += bytes;
    loop.hold(bytes);
  }

  final void hold(int stream, int bytes) {
    if (streams.heldBytes[stream] == 0) {
      streams.heldNs[stream] = loop.clock.nowNs();
    }
    streams.heldBytes[stream] += bytes;
    heldReceivedBytes += bytes;
    hold(bytes);
  }

  private void unhold(int stream, int bytes) {
    streams.heldNs[stream] = loop.clock.nowNs();
    streams.heldBytes[stream] -= bytes;
    heldReceivedBytes -= bytes;
    hold(-bytes);
    bound.released();
  }

  /** Received bytes that are held. */
  final long heldReceivedBytes() {
    return heldReceivedBytes;
  }

  final HeldBound bound() {
    return bound;
  }

  /** Bytes of a stream are not held any more: its window opens again, half of it at a time. */
  final void giveWindow(int stream, int bytes) {
    if (streams.has(stream, StreamSlots.REMOTE_ENDED | StreamSlots.RESET)) {
      return;
    }
    streams.uncreditedBytes[stream] += bytes;
    final int uncredited = streams.uncreditedBytes[stream];
    if (uncredited > WINDOW_BYTES / 2) {
      streams.uncreditedBytes[stream] = 0;
      streams.receiveWindow[stream] += uncredited;
      output.windowUpdate(streams.id(stream), uncredited);
      joinTurn();
    }
  }

  /** Content of a stream begins to wait for a window. */
  final void awaitWindow(int stream) {
    streams.stalledNs[stream] = loop.clock.nowNs();
    streams.paceNs[stream] = loop.clock.nowNs();
    streams.paceBytes[stream] = 0;
    timer.watchStalled();
  }

  /** Some content of a stream that waits has gone on. */
  final void wentOn(int stream, int bytes) {
    streams.stalledNs[stream] = loop.clock.nowNs();
    streams.paceBytes[stream] += bytes;
  }

  /**
   * Resets the streams whose peer takes nothing of what waits, or next to nothing; when that has
   * happened too often, the connection ends.
   */
  final void endStalled(long nowNs) {
    for (int stream = 0; stream < streams.slots(); stream++) {
      if (streams.id(stream) != 0 && streams.waiting[stream] != null && isStalled(stream, nowNs)) {
        stalledCount++;
        endStream(stream, StreamEnd.FAULT, ErrorCode.CANCEL);
      }
    }
    bound.look();
    if (stalledCount >= MAX_STALLED) {
      fail(ErrorCode.ENHANCE_YOUR_CALM, "streams are opened and not read");
    }
  }

  private boolean isStalled(int stream, long nowNs) {
    if (nowNs - streams.stalledNs[stream] >= STALLED_NS) {
      return true;
    }
    if (nowNs - streams.paceNs[stream] < PACE_NS) {
      return false;
    }
    final boolean tooSlow = streams.paceBytes[stream] < MIN_PACE_BYTES;
    streams.paceNs[stream] = nowNs;
    streams.paceBytes[stream] = 0;
    return tooSlow;
  }

  /** We reset a stream for something that its peer did, and tell the user. */
  final void endStream(int stream, StreamEnd how, int errorCode) {
    final int id = streams.id(stream);
    final boolean told = !streams.has(stream, StreamSlots.RELEASED);
    if (how == StreamEnd.FAULT) {
      writeReset(id, errorCode);
      closed.reset(id);
    }
    closeStream(stream);
    if (told) {
      streamEnded(stream, how, errorCode);
    }
  }

  final GoAways goAways() {
    return goAways;
  }

  final ConnectionTimer timer() {
    return timer;
  }

  /** All has been said: the streams are told, and the channel closes once the peer has heard. */
  final void end(int errorCode) {
    state = State.ENDING;
    endStreams(errorCode);
    output.flush();
    if (errorCode == ErrorCode.NO_ERROR) {
      timer.closeWhenTaken();
    } else {
      timer.closeSoon();
    }
    Bytes.endOutput(channel, timer::closeSoon);
  }

  /** No turn of theirs comes any more, and none is opened: the connection is not open. */
  private void endStreams(int errorCode) {
    queue.clear();
    turnHead = StreamSlots.NONE;
    for (int stream = 0; stream < streams.slots(); stream++) {
      if (streams.id(stream) != 0) {
        streams.flags[stream] &= ~(StreamSlots.IN_RING | StreamSlots.IN_TURN);
        if (isClosed(stream)) {
          freeIfDone(stream);
        } else {
          endStream(stream, StreamEnd.CONNECTION_LOST, errorCode);
        }
      }
    }
  }
}

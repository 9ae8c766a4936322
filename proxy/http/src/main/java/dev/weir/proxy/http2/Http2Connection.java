package dev.weir.proxy.http2;

import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.request.Http2Observer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;

/**
 * One side of an HTTP/2 connection (RFC 9113), as its user has it: opens streams, sends messages on
 * them, says what becomes of content that was received, and ends them. Knows nothing of what the
 * streams are for; what comes of them it tells {@link StreamEvents}. The connection reads and
 * writes as its {@link #handler}, which its user puts into the channel's pipeline.
 *
 * <p><b>A stream</b> is the number of its slot, and has a {@link StreamOwner}, which is told of it
 * until {@link StreamOwner#cancelled}, or until {@link #release}. That must come in the end in
 * either case: only then is its slot used again, and does it no longer count against the most that
 * may be open.
 *
 * <p><b>Content received</b> is lent during {@link StreamOwner#dataReceived}. What of it the owner
 * holds counts against the peer until {@link #credit}. <b>Content sent</b> is taken over by {@link
 * #sendData}; what of it waits is told by {@link StreamOwner#bytesSent} as it leaves. Trailers and
 * the end wait behind it. All that is written goes out at the end of the loop's turn.
 *
 * <p>All calls are on the connection's event loop. No object is made for a frame, a field or a
 * stream.
 */
public final class Http2Connection {
  /** The window that each stream begins with, both ways: the one of the standard. */
  public static final int WINDOW_BYTES = Setting.DEFAULT_WINDOW_BYTES;

  /**
   * The bytes of received heads and content that one connection may hold, unless its user says
   * otherwise; what comes by windows that have grown is not among them.
   */
  public static final long MAX_RECEIVED_BYTES = 1L << 20;

  /** No stream: none may be opened now. */
  public static final int NO_STREAM = StreamSlots.NONE;

  /** Far enough before the last identifier that there is: the connection is drained in time. */
  static final int LAST_ID = 1 << 30;

  final Http2Loop loop;
  final Role role;
  final Channel channel;
  final Http2Observer observer;
  final StreamEvents events;
  final PeerSettings peer = new PeerSettings();
  final StreamSlots streams = new StreamSlots();
  final Http2Output output;
  final StreamStates states;
  final UnseenResets unseenResets;
  final ReceiveWindows windows;
  final SendQueue queue;
  final WindowWait windowWait;
  final StalledStreams stalled;
  final FloodGuard floodGuard;
  final ConnectionTimer timer;
  final GoAways goAways;
  final HeldBound bound;
  final Http2Handler handler;

  private int nextId = 1;

  /**
   * @param maxPeerStreams that the peer may have open; 0 if it opens none, as a server.
   * @param events is told nothing before the channel has the {@link #handler}.
   */
  public Http2Connection(
      Http2Loop loop,
      Role role,
      Channel channel,
      Http2Observer observer,
      int maxPeerStreams,
      StreamEvents events) {
    this.loop = loop;
    this.role = role;
    this.channel = channel;
    this.observer = observer;
    this.events = events;
    output = new Http2Output(channel);
    states = new StreamStates(this, streams, maxPeerStreams);
    unseenResets = new UnseenResets(this, streams);
    windows = new ReceiveWindows(this, streams);
    queue = new SendQueue(streams, output, this, new SendWindow(role));
    windowWait = new WindowWait(this, streams, queue);
    stalled = new StalledStreams(this, streams);
    floodGuard = new FloodGuard(this);
    timer = new ConnectionTimer(this, loop.deadlines);
    goAways = new GoAways(this);
    bound = new HeldBound(this);
    handler = new Http2Handler(this);
  }

  /** Reads and writes for the connection; begins it once the channel is active. */
  public ChannelHandler handler() {
    return handler;
  }

  /**
   * Whether the streams are different clients', so that what is in one of them is no reason to end
   * the others: those to a service, and those of an ingress.
   */
  boolean isShared() {
    return role == Role.CLIENT || events.isShared();
  }

  /** The client that the connection is counted for; null if many may stand there. */
  public Object client() {
    return events.client();
  }

  /** Received bytes that are held, and the memory of what waits to be sent. */
  public long heldBytes() {
    return bound.heldBytes();
  }

  /** The peer as it has described itself. */
  public PeerSettings peerSettings() {
    return peer;
  }

  /** Whether the connection takes no new streams, by the peer's will or ours. */
  public boolean isGoingAway() {
    return !handler.isOpen() || goAways.isGoing();
  }

  /**
   * Asks the peer whether it is there.
   *
   * @param data what its answer will have, which {@link StreamEvents#pingAnswered} tells.
   */
  public void ping(long data) {
    output.ping(data);
    handler.joinTurn();
  }

  /**
   * Asks the peer whether it is there by settings that change nothing, whose acknowledgement {@link
   * StreamEvents#acknowledged} tells.
   *
   * @return whether it is asked; not while other settings wait for theirs.
   */
  public boolean askForAcknowledgement() {
    if (!peer.isAckReceived() || windows.awaitsAcknowledgement() || peer.isAsked()) {
      return false;
    }
    peer.asked(true);
    output.settings();
    handler.joinTurn();
    return true;
  }

  /** Lets the streams end, takes no new ones, and then ends the connection. */
  public void drain() {
    if (handler.isOpen()) {
      goAways.drain();
    }
  }

  /** Ends the connection at once; the peer is told nothing more. */
  public void close() {
    channel.close();
  }

  /** Whether {@link #open} would open a stream. */
  public boolean hasRoom() {
    return role == Role.CLIENT
        && !isGoingAway()
        && nextId < LAST_ID
        && streams.count() < peer.maxStreams();
  }

  /**
   * Opens a stream, as a client.
   *
   * @param owner of the stream.
   * @return {@link #NO_STREAM} if there is no room.
   */
  public int open(StreamOwner owner) {
    if (!hasRoom()) {
      return NO_STREAM;
    }
    final int stream = states.open(nextId);
    nextId += 2;
    if (nextId >= LAST_ID) {
      drain();
    }
    streams.owners[stream] = owner;
    return stream;
  }

  /**
   * Sends a head that was encoded before, and stays the caller's.
   *
   * @param block has it in its first {@code bytes} readable ones, which are not read.
   */
  public void sendHead(int stream, ByteBuf block, int bytes, boolean endStream) {
    if (isSending(stream)) {
      output.beginHeaders(streams.id(stream)).writeBytes(block, block.readerIndex(), bytes);
      output.endHeaders(streams.id(stream), endStream);
      headSent(stream, endStream);
    }
  }

  /** Sends a head that was encoded before, as {@link HpackEncoder} does. */
  public void sendHead(int stream, byte[] block, boolean endStream) {
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
  public ByteBuf beginHead(int stream) {
    return output.beginHeaders(streams.id(stream));
  }

  /** Ends the head that was begun, which also may end the stream. */
  public void endHead(int stream, boolean endStream) {
    output.endHeaders(streams.id(stream), endStream);
    headSent(stream, endStream);
  }

  private void headSent(int stream, boolean endStream) {
    streams.flags[stream] |= StreamSlots.HEAD_SENT;
    if (endStream) {
      states.localEnded(stream);
    }
    handler.joinTurn();
  }

  /**
   * Sends content, which is taken over; it may be empty.
   *
   * @param endStream whether it is the last, and no trailers follow.
   * @return how much of it waits, until {@link StreamOwner#bytesSent}.
   */
  public int sendData(int stream, ByteBuf content, boolean endStream) {
    if (!isSending(stream)) {
      content.release();
      return 0;
    }
    final int left = queue.send(stream, content, endStream);
    content.release();
    handler.joinTurn();
    return left;
  }

  /**
   * Sends content that stays the caller's, and ends the stream.
   *
   * @param content has it in its first {@code bytes}.
   */
  public void sendLast(int stream, byte[] content, int bytes) {
    sendData(stream, content, bytes, true);
  }

  /**
   * Sends content that stays the caller's.
   *
   * @param content has it in its first {@code bytes}.
   * @param endStream whether it is the last, and no trailers follow.
   * @return how much of it waits, until {@link StreamOwner#bytesSent}.
   */
  public int sendData(int stream, byte[] content, int bytes, boolean endStream) {
    handler.joinTurn();
    return isSending(stream) && !queue.sendAtOnce(stream, content, bytes, endStream)
        ? sendData(
            stream, channel.alloc().directBuffer(bytes).writeBytes(content, 0, bytes), endStream)
        : 0;
  }

  /**
   * Sends a whole answer, which ends the stream, if none of it has to wait.
   *
   * @param content stays the caller's, and has the content in its first {@code bytes}.
   * @return whether it is sent; if not, nothing of it is.
   */
  public boolean sendAnswer(int stream, AnswerTemplate answer, byte[] content, int bytes) {
    if (!isSending(stream) || !queue.sendAnswer(stream, answer, content, bytes)) {
      return false;
    }
    streams.flags[stream] |= StreamSlots.HEAD_SENT;
    states.localEnded(stream);
    handler.joinTurn();
    return true;
  }

  /** Sends trailers, which end the stream; {@code block} is taken over. */
  public void sendTrailers(int stream, ByteBuf block) {
    if (isSending(stream)) {
      handler.joinTurn();
      queue.trailers(stream, block);
    } else {
      block.release();
    }
  }

  /** Sends trailers that were encoded before, as {@link HpackEncoder} does; they end the stream. */
  public void sendTrailers(int stream, byte[] block) {
    if (isSending(stream)) {
      handler.joinTurn();
      queue.trailers(stream, block);
    }
  }

  /** The offset of what is written next in all that is ever written. */
  public long writtenBytes() {
    return output.writtenBytes();
  }

  /** Whether nothing has been sent of what was written from a place on. */
  public boolean isUnsent(long offset) {
    return output.flushedBytes() <= offset;
  }

  /** Whether anything may be sent on a stream: neither side has reset it, and it has no end yet. */
  public boolean isSending(int stream) {
    return handler.isOpen()
        && !streams.has(
            stream, StreamSlots.RESET | StreamSlots.LOCAL_ENDED | StreamSlots.END_WAITS);
  }

  /**
   * Whether anything may be sent on a stream, and nothing of it waits: then its trailers may be
   * written as a head is ({@link #beginHead}).
   */
  public boolean sendsAtOnce(int stream) {
    return isSending(stream) && streams.waiting[stream] == null;
  }

  /** Ends a stream at once, both ways; nothing more is told of it. It still is to be released. */
  public void reset(int stream, int errorCode) {
    if (handler.isOpen() && !states.isClosed(stream)) {
      stalled.resetByUser(stream);
      states.reset(stream, errorCode);
    }
  }

  /**
   * Resets a stream whose message only the user can tell to be none (RFC 9113, section 8.1.1), as a
   * fault of the peer's.
   */
  public void malformed(int stream) {
    final int error = floodGuard.fault(stream, ErrorCode.PROTOCOL_ERROR);
    if (error != ErrorCode.NO_ERROR) {
      handler.failFor(error);
    }
  }

  /**
   * Lets go of a stream: what it was for has ended. Nothing more is told of it. What waits is still
   * sent, and what still comes is thrown away.
   */
  public void release(int stream) {
    states.released(stream);
  }

  /** Content that was held has been consumed. */
  public void credit(int stream, int bytes) {
    windows.credit(stream, bytes);
  }

  /**
   * Content that is held stays so, and the peer may send as much again: what one message needs may
   * be more than a window.
   */
  public void widen(int stream, int bytes) {
    windows.give(stream, bytes);
  }

  /**
   * Says how long the content is that will come, by the head's own word: more or less of it is a
   * fault of the peer's. To be said within {@link StreamEvents#headReceived}.
   *
   * @param bytes 0 or more.
   */
  public void expectContent(int stream, long bytes) {
    streams.expect(stream, bytes);
  }

  /**
   * Says how long the peer waits for an answer, by the head's own word: to reset the stream when
   * half of it is over is no abuse, as it may have waited longer than we can see. Only for a stream
   * that nothing else is reset for. To be said within {@link StreamEvents#headReceived}.
   *
   * @param ns 0 or more; {@link Long#MAX_VALUE} if it does not say.
   */
  public void expectReset(int stream, long ns) {
    final long sinceNs = streams.oldNs[stream] - FloodGuard.OLD_NS;
    streams.oldNs[stream] = sinceNs + Math.min(FloodGuard.OLD_NS, ns / 2);
  }

  /**
   * Says how long the peer waits for an answer, by the head's own word: to reset the stream when
   * half of it is over counts as {@link #brokenOff}, as it may have waited longer than we can see.
   * To be said within {@link StreamEvents#headReceived}.
   *
   * @param ns 0 or more; {@link Long#MAX_VALUE} if it does not say.
   */
  public void expectDeadline(int stream, long ns) {
    streams.lateNs[stream] = streams.oldNs[stream] - FloodGuard.OLD_NS + ns / 2;
  }

  /**
   * To reset the stream, or to have its work broken off, takes nothing of the connection's budget:
   * it is the doing of one of many clients whose streams the connection carries.
   */
  public void resetIsFree(int stream) {
    streams.oldNs[stream] = Long.MIN_VALUE;
  }

  /**
   * The work on a stream was broken off for what the peer did, or as it waits no longer, and it is
   * about to be told: counts as a reset of its own, unless the stream is old. Whose budget for that
   * is used up may open no more streams on this connection; those that it has go on.
   */
  public void brokenOff(int stream) {
    if (handler.isOpen()) {
      streams.flags[stream] |= StreamSlots.BROKEN_OFF;
      floodGuard.brokenOff(streams.oldNs[stream]);
    }
  }

  /** The stream is a tunnel from now on, of which the peer ends its half when it likes. */
  public void becomeTunnel(int stream) {
    streams.flags[stream] |= StreamSlots.TUNNEL;
  }

  /** Whether the peer has said all that it has to say on a stream. */
  public boolean isRemoteEnded(int stream) {
    return streams.has(stream, StreamSlots.REMOTE_ENDED);
  }

  /** The stream's identifier. */
  public int id(int stream) {
    return streams.id(stream);
  }

  /** A stream's owner; null if it has none yet, or is released. */
  public StreamOwner owner(int stream) {
    return streams.owners[stream];
  }

  /** Gives a stream its owner. */
  public void owner(int stream, StreamOwner owner) {
    streams.owners[stream] = owner;
  }

  /** One more than the highest number of a stream that there ever was. */
  public int slots() {
    return streams.slots();
  }

  /** The number of streams, with those that only linger. */
  public int streamCount() {
    return streams.count();
  }

  /** Whether a stream keeps its slot that we have reset, as the peer may not know. */
  public boolean isResetUnseen(int stream) {
    return streams.has(stream, StreamSlots.RESET_UNSEEN);
  }

  /**
   * The number of streams that we have reset, and that keep their slots, as the peer may not know.
   */
  public int unseenResets() {
    return unseenResets.count();
  }

  /** The number of those resets since {@link #resetsAsked} was called last. */
  public int unaskedResets() {
    return unseenResets.unaskedCount();
  }

  /** Something has been sent that the peer answers, behind all resets up to now. */
  public void resetsAsked() {
    unseenResets.asked();
  }

  /**
   * The peer has answered what it was asked last: the streams that were reset before have ended.
   */
  public void resetsSeen() {
    unseenResets.seen();
  }

  /**
   * Memory is kept for a stream beside the received bytes of its content, and counts as held: for
   * the head of its request, or as its content was copied into more than its bytes take.
   *
   * @param bytes of memory, all that there is; 0 if it is kept no more.
   */
  public void holdBeside(int stream, int bytes) {
    windows.holdHead(stream, bytes);
  }

  /** Received bytes of a stream's content that are held. */
  public int heldBytes(int stream) {
    return streams.heldBytes[stream];
  }
}

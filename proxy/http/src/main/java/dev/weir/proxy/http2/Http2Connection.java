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
  /**
   * The initial flow-control window of each stream, in both directions: the default of RFC 9113.
   */
  public static final int WINDOW_BYTES = Setting.DEFAULT_WINDOW_BYTES;

  /**
   * The default bound on received heads and content that one connection holds, without content in
   * windows that have grown.
   */
  public static final long MAX_RECEIVED_BYTES = 1L << 20;

  /** The result if no stream can be opened now. */
  public static final int NO_STREAM = StreamSlots.NONE;

  /**
   * The highest identifier after which the connection is drained, far below the last possible one.
   */
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
   * @param events receives nothing before the channel has the {@link #handler}.
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

  /** The channel handler of the connection, which begins when the channel is active. */
  public ChannelHandler handler() {
    return handler;
  }

  /**
   * Whether the streams belong to different clients, so that an error in one of them must not end
   * the others: towards a service, and for connections of an ingress.
   */
  boolean isShared() {
    return role == Role.CLIENT || events.isShared();
  }

  /** The client that the connection counts for; null if it stands for many. */
  public Object client() {
    return events.client();
  }

  /** Received bytes that are held, and the memory of content that waits to be sent. */
  public long heldBytes() {
    return bound.heldBytes();
  }

  /** The settings of the peer. */
  public PeerSettings peerSettings() {
    return peer;
  }

  /** Whether the connection takes no new streams, because of the peer or of us. */
  public boolean isGoingAway() {
    return !handler.isOpen() || goAways.isGoing();
  }

  /**
   * Sends a ping.
   *
   * @param data of the answer, which {@link StreamEvents#pingAnswered} passes on.
   */
  public void ping(long data) {
    output.ping(data);
    handler.joinTurn();
  }

  /**
   * Sends settings that change nothing, as a ping; {@link StreamEvents#acknowledged} reports the
   * answer.
   *
   * @return whether they were sent: not while other settings wait for their acknowledgement.
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

  /** Ends the connection in order: takes no new streams, and lets the others end. */
  public void drain() {
    if (handler.isOpen()) {
      goAways.drain();
    }
  }

  /** Closes the connection at once, without telling the peer. */
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
   * @return {@link #NO_STREAM} if no stream can be opened now.
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
   * Sends an encoded head, which stays the caller's.
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

  /** Sends a head that {@link HpackEncoder} has encoded. */
  public void sendHead(int stream, byte[] block, boolean endStream) {
    if (isSending(stream)) {
      output.headers(streams.id(stream), block, endStream);
      headSent(stream, endStream);
    }
  }

  /**
   * Begins a head, whose fields a {@link FieldEncoder} then writes, and nothing else until {@link
   * #endHead}. Only while {@link #isSending}.
   *
   * @return the buffer for the fields.
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
   * Sends content, which is taken over and may be empty.
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
   * Sends a whole response, which ends the stream, if none of it has to wait.
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

  /** Sends trailers that {@link HpackEncoder} has encoded; they end the stream. */
  public void sendTrailers(int stream, byte[] block) {
    if (isSending(stream)) {
      handler.joinTurn();
      queue.trailers(stream, block);
    }
  }

  /** The position of the next byte in all that is ever written. */
  public long writtenBytes() {
    return output.writtenBytes();
  }

  /** Whether nothing has been sent of what was written from a position on. */
  public boolean isUnsent(long offset) {
    return output.flushedBytes() <= offset;
  }

  /**
   * Whether frames may be sent on a stream: neither side has reset it, and we have not ended it.
   */
  public boolean isSending(int stream) {
    return handler.isOpen()
        && !streams.has(
            stream, StreamSlots.RESET | StreamSlots.LOCAL_ENDED | StreamSlots.END_WAITS);
  }

  /**
   * Whether frames may be sent on a stream, and none of its content waits: then its trailers may be
   * written as a head is ({@link #beginHead}).
   */
  public boolean sendsAtOnce(int stream) {
    return isSending(stream) && streams.waiting[stream] == null;
  }

  /** Resets a stream; its owner receives nothing more. It still has to be released. */
  public void reset(int stream, int errorCode) {
    if (handler.isOpen() && !states.isClosed(stream)) {
      stalled.resetByUser(stream);
      states.reset(stream, errorCode);
    }
  }

  /**
   * Resets a stream whose message the user finds malformed (RFC 9113, section 8.1.1), as an error
   * of the peer.
   */
  public void malformed(int stream) {
    final int error = floodGuard.fault(stream, ErrorCode.PROTOCOL_ERROR);
    if (error != ErrorCode.NO_ERROR) {
      handler.failFor(error);
    }
  }

  /**
   * Releases a stream, whose owner receives nothing more. Waiting content is still sent, and
   * content that arrives is discarded.
   */
  public void release(int stream) {
    states.released(stream);
  }

  /** Held content has been consumed: opens the flow-control windows by it. */
  public void credit(int stream, int bytes) {
    windows.credit(stream, bytes);
  }

  /**
   * Opens a stream's flow-control window by bytes that stay held, as one message may need more than
   * a window.
   */
  public void widen(int stream, int bytes) {
    windows.give(stream, bytes);
  }

  /**
   * Sets the length of the content by the head; more or less content is an error of the peer. Only
   * within {@link StreamEvents#headReceived}.
   *
   * @param bytes 0 or more.
   */
  public void expectContent(int stream, long bytes) {
    streams.expect(stream, bytes);
  }

  /**
   * Sets how long the peer waits for a response, by the head. A reset after half of it is no abuse,
   * as the peer may have waited longer than we see. Only for a stream that nothing else is reset
   * for, and within {@link StreamEvents#headReceived}.
   *
   * @param ns 0 or more; {@link Long#MAX_VALUE} if the head does not say.
   */
  public void expectReset(int stream, long ns) {
    final long sinceNs = streams.oldNs[stream] - FloodGuard.OLD_NS;
    streams.oldNs[stream] = sinceNs + Math.min(FloodGuard.OLD_NS, ns / 2);
  }

  /**
   * Sets how long the peer waits for a response, by the head. A reset after half of it counts as
   * {@link #brokenOff}, as the peer may have waited longer than we see. Only within {@link
   * StreamEvents#headReceived}.
   *
   * @param ns 0 or more; {@link Long#MAX_VALUE} if the head does not say.
   */
  public void expectDeadline(int stream, long ns) {
    streams.lateNs[stream] = streams.oldNs[stream] - FloodGuard.OLD_NS + ns / 2;
  }

  /**
   * Lets resets of the stream, by either side, cost nothing of the connection's budget, as one of
   * many clients on the connection causes them.
   */
  public void resetIsFree(int stream) {
    streams.oldNs[stream] = Long.MIN_VALUE;
  }

  /**
   * Breaks off a stream because of the peer, or as it no longer waits; the reset follows. It counts
   * as a reset by the peer, unless the stream is old. A connection whose budget for that is spent
   * takes no more streams; its open streams go on.
   */
  public void brokenOff(int stream) {
    if (handler.isOpen()) {
      streams.flags[stream] |= StreamSlots.BROKEN_OFF;
      floodGuard.brokenOff(streams.oldNs[stream]);
    }
  }

  /** Makes the stream a tunnel, of which the peer may end its side at any time. */
  public void becomeTunnel(int stream) {
    streams.flags[stream] |= StreamSlots.TUNNEL;
  }

  /** Whether the peer has ended its side of a stream. */
  public boolean isRemoteEnded(int stream) {
    return streams.has(stream, StreamSlots.REMOTE_ENDED);
  }

  /** The stream's identifier. */
  public int id(int stream) {
    return streams.id(stream);
  }

  /** A stream's owner; null if it has none yet, or was released. */
  public StreamOwner owner(int stream) {
    return streams.owners[stream];
  }

  /** Sets a stream's owner. */
  public void owner(int stream, StreamOwner owner) {
    streams.owners[stream] = owner;
  }

  /** One more than the highest slot that was ever used. */
  public int slots() {
    return streams.slots();
  }

  /** The number of streams, including released ones that have not ended. */
  public int streamCount() {
    return streams.count();
  }

  /**
   * Whether a stream that we have reset keeps its slot, as the peer may not have seen the reset.
   */
  public boolean isResetUnseen(int stream) {
    return streams.has(stream, StreamSlots.RESET_UNSEEN);
  }

  /** The number of streams that we have reset and that keep their slots. */
  public int unseenResets() {
    return unseenResets.count();
  }

  /** The number of those resets since {@link #resetsAsked} was called last. */
  public int unaskedResets() {
    return unseenResets.unaskedCount();
  }

  /** A frame that the peer answers has been sent, after all resets up to now. */
  public void resetsAsked() {
    unseenResets.asked();
  }

  /** The peer has answered the last such frame, and so has seen the resets before it. */
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

package dev.weir.proxy.http2;

import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.request.Http2Observer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/**
 * What whoever has the streams of an {@link Http2Connection} does with them: opens them, sends
 * messages on them (RFC 9113, section 8.1), says what becomes of content that was received, and
 * ends them. What it is told of them are {@link StreamEvents}.
 */
abstract sealed class StreamOperations extends StreamEvents permits Http2Connection {
  /** No stream: none may be opened now. */
  public static final int NO_STREAM = StreamSlots.NONE;

  /** Far enough before the last identifier that there is: the connection is drained in time. */
  static final int LAST_ID = 1 << 30;

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
  final WindowWait windowWait;
  final StalledStreams stalled;
  final FloodGuard conduct;

  private int nextId = 1;

  StreamOperations(
      Http2Loop loop, Role role, Channel channel, Http2Observer observer, int maxPeerStreams) {
    this.loop = loop;
    this.role = role;
    this.channel = channel;
    this.observer = observer;
    final Http2Connection connection = (Http2Connection) this; // they call it later only
    output = new Http2Output(channel);
    states = new StreamStates(connection, streams, maxPeerStreams);
    unseenResets = new UnseenResets(connection, streams);
    windows = new ReceiveWindows(connection, streams);
    queue = new SendQueue(streams, output, connection, new SendWindow(role));
    windowWait = new WindowWait(connection, streams, queue);
    stalled = new StalledStreams(connection, streams);
    conduct = new FloodGuard(connection);
  }

  /**
   * Whether the streams are different clients', so that what is in one of them is no reason to end
   * the others: those to a service, and those of an ingress.
   */
  protected boolean isShared() {
    return role == Role.CLIENT;
  }

  /** Whether anything may still be read and written. */
  abstract boolean isOpen();

  /** Has what was written go out at the end of the turn. */
  abstract void joinTurn();

  /** Whether the connection takes no new streams, by the peer's will or ours. */
  public abstract boolean isGoingAway();

  /** Lets the streams end, takes no new ones, and then ends. */
  public abstract void drain();

  /** Ends the connection with an error of the peer's. */
  abstract void failFor(int errorCode);

  /** Whether {@link #open} would open a stream. */
  public final boolean hasRoom() {
    return role == Role.CLIENT
        && !isGoingAway()
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

  /**
   * Sends a head that was encoded before, and stays the caller's.
   *
   * @param block has it in its first {@code bytes} readable ones, which are not read.
   */
  public final void sendHead(int stream, ByteBuf block, int bytes, boolean endStream) {
    if (isSending(stream)) {
      output.beginHeaders(streams.id(stream)).writeBytes(block, block.readerIndex(), bytes);
      output.endHeaders(streams.id(stream), endStream);
      headSent(stream, endStream);
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

  /**
   * Sends a whole answer, which ends the stream, if none of it has to wait.
   *
   * @param content stays the caller's, and has the content in its first {@code bytes}.
   * @return whether it is sent; if not, nothing of it is.
   */
  public final boolean sendAnswer(int stream, AnswerTemplate answer, byte[] content, int bytes) {
    if (!isSending(stream) || !queue.sendAnswer(stream, answer, content, bytes)) {
      return false;
    }
    streams.flags[stream] |= StreamSlots.HEAD_SENT;
    states.localEnded(stream);
    joinTurn();
    return true;
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
    return isOpen()
        && !streams.has(
            stream, StreamSlots.RESET | StreamSlots.LOCAL_ENDED | StreamSlots.END_WAITS);
  }

  /**
   * Whether anything may be sent on a stream, and nothing of it waits: then its trailers may be
   * written as a head is ({@link #beginHead}).
   */
  public final boolean sendsAtOnce(int stream) {
    return isSending(stream) && streams.waiting[stream] == null;
  }

  /** Ends a stream at once, both ways; nothing more is told of it. It still is to be released. */
  public final void reset(int stream, int errorCode) {
    if (isOpen() && !states.isClosed(stream)) {
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
   * half of it is over is no abuse, as it may have waited longer than we can see. Only for a stream
   * that nothing else is reset for. To be said within {@link #headReceived}.
   *
   * @param ns 0 or more; {@link Long#MAX_VALUE} if it does not say.
   */
  protected final void expectReset(int stream, long ns) {
    final long sinceNs = streams.oldNs[stream] - ResetBudget.OLD_NS;
    streams.oldNs[stream] = sinceNs + Math.min(ResetBudget.OLD_NS, ns / 2);
  }

  /**
   * Says how long the peer waits for an answer, by the head's own word: to reset the stream when
   * half of it is over counts as {@link #brokenOff}, as it may have waited longer than we can see.
   * To be said within {@link #headReceived}.
   *
   * @param ns 0 or more; {@link Long#MAX_VALUE} if it does not say.
   */
  protected final void expectDeadline(int stream, long ns) {
    streams.lateNs[stream] = streams.oldNs[stream] - ResetBudget.OLD_NS + ns / 2;
  }

  /**
   * To reset the stream, or to have its work broken off, takes nothing of the connection's budget:
   * it is the doing of one of many clients whose streams the connection carries.
   */
  public final void resetIsFree(int stream) {
    streams.oldNs[stream] = Long.MIN_VALUE;
  }

  /**
   * The work on a stream was broken off for what the peer did, or as it waits no longer, and it is
   * about to be told: counts as a reset of its own, unless the stream is old. Whose budget for that
   * is used up may open no more streams on this connection; those that it has go on.
   */
  public final void brokenOff(int stream) {
    if (isOpen()) {
      streams.flags[stream] |= StreamSlots.BROKEN_OFF;
      conduct.brokenOff(streams.oldNs[stream]);
    }
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

  /**
   * Memory is kept for a stream beside the received bytes of its content, and counts as held: for
   * the head of its request, or as its content was copied into more than its bytes take.
   *
   * @param bytes of memory, all that there is; 0 if it is kept no more.
   */
  public final void holdBeside(int stream, int bytes) {
    windows.holdHead(stream, bytes);
  }

  /** Received bytes of a stream's content that are held. */
  public final int heldBytes(int stream) {
    return streams.heldBytes[stream];
  }
}

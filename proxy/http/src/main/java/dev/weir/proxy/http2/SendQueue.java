package dev.weir.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The content of one connection's streams that waits for a flow-control window or for room in the
 * output, and the trailers behind it. Streams that have both content and a window are in a ring,
 * and each sends one frame in turn.
 *
 * <p>Waiting content is copied into memory of the stream's own, as a slice would keep the whole
 * buffer of a read.
 */
final class SendQueue {
  private static final int MIN_WAITING_BYTES = 4096;

  /**
   * The size up to which a stream's memory is doubled; beyond it grows by a quarter. A sender has
   * at most its own receive window waiting, and few are wider.
   */
  private static final int USUAL_WAITING_BYTES = 1 << 16;

  /** Fewer bytes than this do not count as a turn. */
  private static final int MIN_TURN_BYTES = 1024;

  private static final int NONE = StreamSlots.NONE;

  private final StreamSlots streams;
  private final Http2Output output;
  private final Http2Connection connection;

  private final SendWindow window;
  private int head = NONE;
  private int tail = NONE;

  /** Whether no stream in the ring has room in the connection's window. */
  private boolean areShut;

  /** Whether a stream in the ring was reset. */
  private boolean hasReset;

  private int streamsWaiting;
  private long dataFrames;
  private long contentBytes;

  SendQueue(
      StreamSlots streams, Http2Output output, Http2Connection connection, SendWindow window) {
    this.streams = streams;
    this.output = output;
    this.connection = connection;
    this.window = window;
  }

  /** The number of streams that have content waiting. */
  int streamsWaiting() {
    return streamsWaiting;
  }

  /** The number of DATA frames that were written. */
  long dataFrames() {
    return dataFrames;
  }

  /** The bytes of content that were written. */
  long contentBytes() {
    return contentBytes;
  }

  /** Whether {@link #pump} has something to do. */
  boolean isReady() {
    return head != NONE && !areShut;
  }

  /** The connection's flow-control window. */
  SendWindow window() {
    return window;
  }

  /**
   * Whether streams to a service have content and a window of their own, and wait for the
   * connection's.
   */
  boolean waitsForWindow() {
    return head != NONE && window.isShared() && !output.isFull();
  }

  /** Lets one stream use all of the connection's window, if the peer may be waiting for that. */
  void openToOne() {
    window.openToOne();
    areShut = false;
    connection.handler.joinTurn();
  }

  /** The bytes that a stream may send now. */
  private int room(int stream) {
    return Math.min(window.room(streams.unreadBytes[stream]), streams.sendWindow[stream]);
  }

  /**
   * Sends content.
   *
   * @param content is read; it stays the caller's.
   * @param end whether it is the last, and no trailers follow.
   * @return how much of it waits.
   */
  int send(int stream, ByteBuf content, boolean end) {
    if (streams.waiting[stream] == null && (head == NONE || areShut)) {
      sendAtOnce(stream, content, end);
    }
    final int left = content.readableBytes();
    if (left > 0) {
      hold(stream, content, end);
      if (end) {
        streams.flags[stream] |= StreamSlots.END_WAITS;
      }
    } else if (end && !streams.has(stream, StreamSlots.LOCAL_ENDED)) {
      endBehindContent(stream);
    }
    return left;
  }

  /**
   * Sends content that fits into one frame, or nothing if any of it would have to wait.
   *
   * @param end whether it is the last, and no trailers follow.
   * @return whether it is sent.
   */
  boolean sendAtOnce(int stream, byte[] content, int bytes, boolean end) {
    if (!isFree(stream, bytes)) {
      return false;
    }
    sent(stream, bytes);
    output.data(streams.id(stream), content, 0, bytes, end);
    if (end) {
      connection.states.localEnded(stream);
    }
    return true;
  }

  /** Whether so much content need not wait, and fits into one frame. */
  private boolean isFree(int stream, int bytes) {
    return streams.waiting[stream] == null
        && (head == NONE || areShut)
        && bytes <= room(stream)
        && bytes <= Setting.DEFAULT_MAX_FRAME_BYTES
        && !output.isFull();
  }

  /**
   * Sends a whole response, or nothing if any of it would have to wait; returns whether it is sent.
   */
  boolean sendAnswer(int stream, AnswerTemplate answer, byte[] content, int bytes) {
    if (!isFree(stream, bytes) || !output.answer(streams.id(stream), answer, content, bytes)) {
      return false;
    }
    sent(stream, bytes);
    return true;
  }

  /** Counts a frame of content. */
  private void sent(int stream, int bytes) {
    if (window.isShared()) {
      isUnread(stream, bytes);
    }
    window.take(bytes);
    streams.sendWindow[stream] -= bytes;
    dataFrames++;
    contentBytes += bytes;
  }

  /**
   * Counts bytes that a stream has sent, and of which it is unknown whether the service has read
   * them.
   */
  private void isUnread(int stream, int bytes) {
    final int before = window.unread(streams.unreadBytes[stream]);
    streams.unreadBytes[stream] = before + bytes;
    if (before == 0) {
      unreadBegins(stream);
    }
  }

  /**
   * The service has read some of a stream; the stream's time restarts once that is more than a
   * trickle.
   */
  private void isRead(int stream, int bytes) {
    streams.unreadBytes[stream] = Math.max(0, streams.unreadBytes[stream] - bytes);
    final long readBytes = (long) streams.readBytes[stream] + bytes;
    if (readBytes >= window.mostBytes() / 16) {
      unreadBegins(stream);
    } else {
      streams.readBytes[stream] = (int) readBytes;
    }
  }

  private void unreadBegins(int stream) {
    streams.readBytes[stream] = 0;
    streams.unreadNs[stream] = connection.loop.clock.nowNs();
  }

  /** Ends a stream without content. */
  private void endBehindContent(int stream) {
    if (streams.waiting[stream] != null) {
      streams.flags[stream] |= StreamSlots.END_WAITS;
    } else {
      dataFrames++;
      output.data(streams.id(stream), Unpooled.EMPTY_BUFFER, 0, true);
      connection.states.localEnded(stream);
    }
  }

  private void sendAtOnce(int stream, ByteBuf content, boolean end) {
    int room = room(stream);
    while (content.isReadable() && room > 0 && !output.isFull()) {
      frame(stream, content, room, end);
      room = room(stream);
    }
  }

  /**
   * Writes one DATA frame; returns its bytes.
   *
   * @param room for the stream.
   */
  private int frame(int stream, ByteBuf content, int room, boolean end) {
    final int most = Math.min(Setting.DEFAULT_MAX_FRAME_BYTES, content.readableBytes());
    final int bytes = Math.min(most, room);
    final boolean last = end && bytes == content.readableBytes();
    sent(stream, bytes);
    output.data(streams.id(stream), content, bytes, last);
    if (last) {
      connection.states.localEnded(stream);
    }
    return bytes;
  }

  private void hold(int stream, ByteBuf content, boolean last) {
    final int bytes = content.readableBytes();
    ByteBuf kept = streams.waiting[stream];
    if (kept == null) {
      streamsWaiting++;
      connection.stalled.begin(stream);
    }
    if (kept == null || kept.writableBytes() < bytes) {
      kept = larger(kept, bytes, last);
      streams.waiting[stream] = kept;
    }
    kept.writeBytes(content);
    join(stream);
  }

  /** Memory for the waiting content and so much more; of exactly that size if it is the last. */
  private ByteBuf larger(ByteBuf kept, int bytes, boolean last) {
    final int all = bytes + (kept == null ? 0 : kept.readableBytes());
    final int roomy =
        all <= USUAL_WAITING_BYTES ? Math.min(2 * all, USUAL_WAITING_BYTES) : all + all / 4;
    final int room = last ? all : Math.max(MIN_WAITING_BYTES, kept == null ? all : roomy);
    final ByteBuf larger = connection.channel.alloc().directBuffer(room);
    connection.bound.holdWaiting(larger.capacity());
    if (kept != null) {
      larger.writeBytes(kept);
      release(kept);
    }
    return larger;
  }

  /** Releases memory of waiting content. */
  private void release(ByteBuf content) {
    connection.bound.holdWaiting(-content.capacity());
    content.release();
  }

  /** Ends the stream with trailers, behind its content; {@code block} is taken over. */
  void trailers(int stream, ByteBuf block) {
    if (streams.waiting[stream] != null) {
      streams.waitingTrailers[stream] = block;
      streams.flags[stream] |= StreamSlots.END_WAITS;
    } else {
      output.headers(streams.id(stream), block, true);
      connection.states.localEnded(stream);
    }
  }

  /** Ends the stream with trailers, behind its content. */
  void trailers(int stream, byte[] block) {
    if (streams.waiting[stream] != null) {
      trailers(stream, connection.channel.alloc().directBuffer(block.length).writeBytes(block));
    } else {
      output.headers(streams.id(stream), block, true);
      connection.states.localEnded(stream);
    }
  }

  /** Puts a stream into the ring, if it has content and a window. */
  void join(int stream) {
    if (streams.waiting[stream] != null
        && streams.sendWindow[stream] > 0
        && !streams.has(stream, StreamSlots.IN_RING)) {
      streams.turnNs[stream] = connection.loop.clock.nowNs();
      push(stream);
      areShut = false;
      connection.handler.joinTurn();
    }
  }

  private void push(int stream) {
    streams.flags[stream] |= StreamSlots.IN_RING;
    streams.next[stream] = NONE;
    if (head == NONE) {
      head = stream;
    } else {
      streams.next[tail] = stream;
    }
    tail = stream;
  }

  /** Empties the ring, as no stream sends any more. */
  void clear() {
    head = NONE;
  }

  private void pop() {
    final int stream = head;
    head = streams.next[stream];
    streams.flags[stream] &= ~StreamSlots.IN_RING;
  }

  /** Opens the connection's window; false on overflow. */
  boolean widen(int bytes) {
    if (!window.widen(bytes)) {
      return false;
    }
    areShut = false;
    if (isReady()) {
      connection.handler.joinTurn();
    }
    return true;
  }

  /** Opens a stream's window, as the peer has read some of it; false on overflow. */
  boolean credit(int stream, int bytes) {
    if (window.isShared()) {
      isRead(stream, bytes);
      areShut = false;
    }
    return widen(stream, bytes);
  }

  /** Changes a stream's window, also by less than 0; false on overflow. */
  boolean widen(int stream, int bytes) {
    final long wider = (long) streams.sendWindow[stream] + bytes;
    if (wider > Integer.MAX_VALUE) {
      return false;
    }
    streams.sendWindow[stream] = (int) wider;
    join(stream);
    return true;
  }

  /** Writes what windows and output allow, a frame of each stream in turn. */
  void pump() {
    if (hasReset) {
      dropReset();
    }
    int firstShut = NONE;
    while (isReady() && !output.isFull()) {
      final int stream = head;
      if (stream == firstShut) {
        areShut = true; // and so are all behind it
        return;
      }
      pop();
      if (streams.sendWindow[stream] > 0) {
        final int room = room(stream);
        if (room > 0) {
          pumpFrame(stream, room);
          firstShut = NONE;
        } else {
          push(stream);
          firstShut = firstShut == NONE ? stream : firstShut;
        }
      }
    }
  }

  /**
   * Takes the streams that were reset out of the ring. They do not wait for the output: a peer that
   * reads nothing would keep them, and they would keep its connection from being idle.
   */
  private void dropReset() {
    hasReset = false;
    int stream = head;
    head = NONE;
    while (stream != NONE) {
      final int behind = streams.next[stream];
      if (streams.waiting[stream] == null) {
        streams.flags[stream] &= ~StreamSlots.IN_RING;
        connection.states.freeIfDone(stream);
      } else {
        push(stream);
      }
      stream = behind;
    }
  }

  private void pumpFrame(int stream, int room) {
    final ByteBuf content = streams.waiting[stream];
    final ByteBuf trailers = streams.waitingTrailers[stream];
    final boolean ends = streams.has(stream, StreamSlots.END_WAITS);
    final boolean last = content.readableBytes() <= Math.min(Setting.DEFAULT_MAX_FRAME_BYTES, room);
    if (last) {
      forget(stream);
    }
    final StreamOwner owner = streams.owners[stream];
    final int bytes = frame(stream, content, room, ends && trailers == null);
    if (last) {
      release(content);
      if (trailers != null) {
        output.headers(streams.id(stream), trailers, true);
        connection.states.localEnded(stream);
      }
    } else {
      connection.stalled.wentOn(stream, bytes);
      pushAgain(stream, bytes);
    }
    if (owner != null) {
      owner.bytesSent(bytes);
    }
  }

  /** Puts a stream behind the others after its turn; a few bytes do not count as a turn. */
  private void pushAgain(int stream, int sentBytes) {
    if (streams.sendWindow[stream] > 0) {
      if (sentBytes >= MIN_TURN_BYTES) {
        streams.turnNs[stream] = connection.loop.clock.nowNs();
      }
      push(stream);
    }
  }

  private void forget(int stream) {
    streams.waiting[stream] = null;
    streams.waitingTrailers[stream] = null;
    streamsWaiting--;
  }

  /** Releases the waiting content of a stream that sends no more. */
  void discard(int stream) {
    final ByteBuf content = streams.waiting[stream];
    final ByteBuf trailers = streams.waitingTrailers[stream];
    if (content != null) {
      forget(stream);
      release(content);
      if (streams.has(stream, StreamSlots.IN_RING)) {
        hasReset = true; // it leaves the ring with this turn
        areShut = false;
        connection.handler.joinTurn();
      }
    }
    if (trailers != null) {
      trailers.release();
    }
  }
}

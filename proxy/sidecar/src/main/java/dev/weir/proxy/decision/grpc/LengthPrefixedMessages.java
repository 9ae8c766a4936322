package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.request.GrpcStatus;
import io.netty.buffer.ByteBuf;

/**
 * The messages of one call as they arrive: each a Length-Prefixed-Message of gRPC over HTTP/2, in
 * any pieces of DATA.
 *
 * <p>A message in a single frame is passed to its method where it is; one in several is gathered
 * first, and its bytes count as held by its connection.
 */
final class LengthPrefixedMessages {
  private static final int PREFIX_BYTES = 5;
  private static final int NOT_KNOWN = -1;

  /** Messages up to this length are accepted for every method. */
  private static final int ANY_TAKES_BYTES = 1024;

  private final GrpcCall call;
  private final GrpcCalls calls;

  /** The received bytes of messages that are not complete; null if there are none. */
  private ByteBuf gathered;

  /** The length of the long message that is being gathered; 0 if there is none. */
  private int longMessageBytes;

  /** The bytes received since the stream's window was last opened. */
  private int unopenedBytes;

  /** Bytes of its memory that count as held besides received bytes. */
  private int heldSpareBytes;

  LengthPrefixedMessages(GrpcCall call, GrpcCalls calls) {
    this.call = call;
    this.calls = calls;
  }

  /** Takes content that has arrived; returns how much of it is held. */
  int received(ByteBuf in, int offset, int bytes, boolean endStream) {
    if (gathered == null
        && endStream
        && bytes >= PREFIX_BYTES
        && in.getByte(offset) == 0
        && in.getInt(offset + 1) == bytes - PREFIX_BYTES
        && (bytes <= ANY_TAKES_BYTES || bytes - PREFIX_BYTES <= call.maxMessageBytes())
        && !call.isStreaming()) {
      call.gather(in, offset + PREFIX_BYTES, bytes - PREFIX_BYTES);
      return 0;
    }
    return gather(in, offset, bytes, endStream);
  }

  private int gather(ByteBuf in, int offset, int bytes, boolean endStream) {
    int before = gathered == null ? 0 : gathered.readableBytes();
    if (bytes > 0) {
      append(in, offset, bytes);
      unopenedBytes += bytes;
    }
    boolean goesOn = call.isStreaming() ? takeMessages() : takeMessage(endStream);
    if (!goesOn) {
      return 0; // the call has ended
    }
    int after = gathered == null ? 0 : gathered.readableBytes();
    holdSpare();
    int consumed = before + bytes - after;
    int consumedBefore = Math.min(before, consumed);
    if (consumedBefore > 0) {
      call.connection().credit(call.stream(), consumedBefore);
    }
    if (endStream && call.isStreaming()) {
      if (gathered == null) {
        call.streamEnded();
      } else {
        call.abort(GrpcStatus.INTERNAL, "the message is cut");
      }
      return 0;
    }
    if (longMessageBytes > 0 && calls.isGathered(this)) {
      goOn();
    }
    return bytes - (consumed - consumedBefore);
  }

  /** Appends content; memory is doubled, but not beyond a long message's length. */
  private void append(ByteBuf in, int offset, int bytes) {
    if (gathered == null) {
      gathered = in.alloc().directBuffer(bytes);
    }
    if (gathered.writableBytes() < bytes) {
      int needed = gathered.readableBytes() + bytes;
      int whole = PREFIX_BYTES + longMessageBytes;
      gathered.capacity(needed <= whole ? Math.min(2 * needed, whole) : 2 * needed);
    }
    gathered.writeBytes(in, offset, bytes);
  }

  /** Releases the memory of messages that were passed on, except the beginning of the next one. */
  private void keepRest() {
    if (gathered != null && gathered.readerIndex() > 0) {
      ByteBuf rest = gathered.alloc().directBuffer(gathered.readableBytes());
      rest.writeBytes(gathered);
      gathered.release();
      gathered = rest;
    }
  }

  /** Counts the memory that is held besides received bytes, which count by themselves. */
  private void holdSpare() {
    int spare = gathered == null ? 0 : gathered.capacity() - gathered.readableBytes();
    if (spare != heldSpareBytes) {
      heldSpareBytes = spare;
      call.connection().holdBeside(call.stream(), spare);
    }
  }

  /** The length of the message, if it is a long one. */
  int longMessageBytes() {
    return longMessageBytes;
  }

  /** The connection; null while the call is unused. */
  Http2Connection connection() {
    return call.connection();
  }

  /** Lets more of the long message come, as there is room. */
  void goOn() {
    int bytes = unopenedBytes;
    unopenedBytes = 0;
    call.connection().widen(call.stream(), bytes);
  }

  /** Takes the message of a unary call, if it is complete; false if the call has ended. */
  private boolean takeMessage(boolean endStream) {
    int length = messageBytes(call.maxMessageBytes());
    if (call.connection() == null) {
      return false;
    }
    int has = gathered == null ? 0 : gathered.readableBytes() - PREFIX_BYTES;
    if (length != NOT_KNOWN && has > length) {
      return call.abort(GrpcStatus.INTERNAL, "the call has more than one message");
    }
    if (!endStream) {
      return length <= LongMessages.MAX_SHORT_BYTES || longMessageBytes > 0 || comesLong(length);
    }
    if (length == NOT_KNOWN || has < length) {
      return call.abort(
          GrpcStatus.INTERNAL, gathered == null ? "the call has no message" : "the message is cut");
    }
    leaveLong();
    ByteBuf whole = gathered;
    gathered = null;
    try {
      call.ask(calls.message(whole, whole.readerIndex() + PREFIX_BYTES, length));
    } finally {
      whole.release();
    }
    return call.connection() != null;
  }

  /** Begins a long message; false if that has ended the call. */
  private boolean comesLong(int length) {
    longMessageBytes = length;
    if (calls.joinLong(this)) {
      return true;
    }
    longMessageBytes = 0;
    return call.abort(
        GrpcStatus.RESOURCE_EXHAUSTED,
        "a message of "
            + length
            + " bytes beside others (expected: at most "
            + LongMessages.ROOM_BYTES
            + " together, and "
            + LongMessages.MAX_WAITING
            + " that wait)");
  }

  private void leaveLong() {
    if (longMessageBytes > 0) {
      calls.leaveLong(this);
      longMessageBytes = 0;
    }
  }

  /** Takes all complete messages of a streaming call; false if the call has ended. */
  private boolean takeMessages() {
    while (true) {
      int length = messageBytes(call.maxMessageBytes());
      if (call.connection() == null) {
        return false;
      }
      if (length == NOT_KNOWN || gathered.readableBytes() - PREFIX_BYTES < length) {
        keepRest();
        return true;
      }
      if (call.areAnswersUnread()) {
        return call.abort(GrpcStatus.RESOURCE_EXHAUSTED, "answers are not read");
      }
      int at = gathered.readerIndex() + PREFIX_BYTES;
      gathered.skipBytes(PREFIX_BYTES + length);
      call.ask(calls.message(gathered, at, length));
      if (call.connection() == null) {
        return false;
      }
      if (!gathered.isReadable()) {
        gathered.release();
        gathered = null;
        return true;
      }
    }
  }

  /**
   * The length of the first message; {@link #NOT_KNOWN} if its prefix is incomplete. The call has
   * failed if the message is too long.
   */
  private int messageBytes(int most) {
    if (gathered == null || gathered.readableBytes() < PREFIX_BYTES) {
      return NOT_KNOWN;
    }
    int flag = gathered.getByte(gathered.readerIndex());
    if (flag != 0) {
      call.abort(
          GrpcStatus.INTERNAL,
          flag == 1 ? "a compressed message without grpc-encoding" : "a prefix of no message");
      return NOT_KNOWN;
    }
    long length = gathered.getUnsignedInt(gathered.readerIndex() + 1);
    if (length > most) {
      call.abort(
          GrpcStatus.RESOURCE_EXHAUSTED,
          "a message of " + length + " bytes (expected: at most " + most + ")");
      return NOT_KNOWN;
    }
    return (int) length;
  }

  /** Releases everything, while the call still has its connection. */
  void discard() {
    leaveLong();
    unopenedBytes = 0;
    heldSpareBytes = 0;
    if (gathered != null) {
      gathered.release();
      gathered = null;
    }
  }
}

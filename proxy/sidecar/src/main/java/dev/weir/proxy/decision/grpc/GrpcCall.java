package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.decision.http.Tokens;
import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.downstream.h2.RoutedStream;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.grpc.GrpcStatus;
import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.StreamEnd;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.request.Peer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.agrona.DirectBuffer;

/**
 * One call of gRPC, from its head to its status. Belongs to its stream until then, and afterwards
 * to the event loop, which has it serve another.
 */
public final class GrpcCall implements RoutedStream {
  /** Tells the caller that its bytes are not the message of the method. */
  public static final String NO_MESSAGE = "the message is none of this method's";

  /** The longest message that is taken. */
  public static final int MAX_MESSAGE_BYTES = 4 << 20;

  /** The longest message of a streaming call, several of which may wait. */
  static final int MAX_STREAMED_BYTES = 32 * 1024;

  /** A streaming call of which more answers wait is not asked further. */
  private static final int MAX_WAITING_BYTES = 256 * 1024;

  private final GrpcCalls calls;
  private final LengthPrefixedMessages messages;
  private final Time time = new Time();

  /** The stream's connection; null while the call serves none. */
  private Http2Connection connection;

  private int stream;
  private GrpcMethod method;
  private Peer peer;
  private long arrivedNs;
  private long deadlineNs;
  private long contentLength;
  private int token;

  /** The status that refuses the call before its method knows of it; null for none. */
  private GrpcStatus fault;

  private String faultMessage;

  private int waitingBytes;
  private boolean answered;
  private boolean isAsked;
  private boolean isListed;

  /** Whether it is one of the {@link StreamingCalls}. */
  private boolean isCounted;

  /** The place among the {@link GatheredCalls}. */
  private int gatheredPlace = GatheredCalls.NOWHERE;

  private Object attachment;

  /** How long the call may last. */
  private final class Time extends Deadlines.Waiter {
    private boolean joined;

    void join(long atNs) {
      if (!joined) {
        joined = true;
        calls.parts.deadlines().join(this);
      }
      deadline(atNs);
    }

    void end() {
      if (joined) {
        joined = false;
        leave();
      }
    }

    @Override
    protected void onDeadline() {
      GrpcCall.this.onDeadline();
    }
  }

  GrpcCall(GrpcCalls calls) {
    this.calls = calls;
    messages = new LengthPrefixedMessages(this, calls);
  }

  /** Begins with a head that was read. */
  void head(GrpcMethod of, Peer from, long nowNs, long untilNs, long ofContent, int ofToken) {
    method = of;
    peer = from;
    arrivedNs = nowNs;
    deadlineNs = untilNs;
    contentLength = ofContent;
    token = ofToken;
    fault = null;
    faultMessage = null;
    waitingBytes = 0;
    answered = false;
    isAsked = false;
    attachment = null;
  }

  /** Says that the call is refused as soon as it has its stream. */
  void refuse(GrpcStatus status, String message) {
    if (fault == null) {
      fault = status;
      faultMessage = message;
    }
  }

  @Override
  public long contentLength() {
    return contentLength;
  }

  @Override
  public long timeoutNs() {
    return deadlineNs == Deadlines.NEVER ? IncomingRequest.NO_TIMEOUT : deadlineNs - arrivedNs;
  }

  @Override
  public void start(Http2Connection on, int atStream, boolean endStream) {
    connection = on;
    stream = atStream;
    calls.parts.observer().callStarted(method.kind());
    if (fault != null) {
      fail(fault, faultMessage);
    } else if (endStream) {
      fail(GrpcStatus.INTERNAL, "the call has no message");
    } else if (method.isStreaming() && !join()) {
      connection.brokenOff(stream); // or a client could ask for refusals without end
      fail(method.whenTooMany(), StreamingCalls.TOO_MANY);
    } else {
      calls.listen(this);
    }
  }

  private boolean join() {
    isCounted = calls.streaming().join(connection);
    return isCounted;
  }

  /** Whether it is on the list of those that are looked at when the turn ends. */
  boolean isListed() {
    return isListed;
  }

  void list(boolean listed) {
    isListed = listed;
  }

  /** The turn has ended in which the call began: if it is still there, it has a time. */
  void turnEnded() {
    if (connection != null) {
      await(isAsked ? endNs() : Math.min(deadlineNs, arrivedNs + calls.bodyNs()));
    }
  }

  /** When it ends at the latest, once it has been asked. */
  private long endNs() {
    return method.isStreaming()
        ? Math.min(deadlineNs, arrivedNs + StreamingCalls.LONGEST_NS)
        : deadlineNs;
  }

  private void await(long untilNs) {
    if (untilNs != Deadlines.NEVER) {
      time.join(untilNs);
    }
  }

  private void onDeadline() {
    long nowNs = calls.parts.clock().nowNs();
    boolean isOver = nowNs >= deadlineNs;
    if (isAsked && nowNs < endNs()) {
      await(endNs()); // its message came in time
      return;
    }
    if (isAsked && !isOver) {
      abort(GrpcStatus.UNAVAILABLE, StreamingCalls.TOO_LONG);
      return;
    }
    abort(
        GrpcStatus.DEADLINE_EXCEEDED,
        isOver ? "the deadline has passed" : "the message has not come");
  }

  @Override
  public int dataReceived(ByteBuf in, int offset, int bytes, boolean endStream) {
    try {
      return messages.received(in, offset, bytes, endStream);
    } catch (RuntimeException | Error bug) {
      failed(bug);
      return 0;
    }
  }

  /** Its connection; null if it serves none. */
  Http2Connection connection() {
    return connection;
  }

  int stream() {
    return stream;
  }

  GrpcMethod method() {
    return method;
  }

  boolean isStreaming() {
    return method.isStreaming();
  }

  /** The longest message that it may have. */
  int maxMessageBytes() {
    return method.maxMessageBytes();
  }

  /** Whether so much of its answers waits that it is not asked further. */
  boolean areAnswersUnread() {
    return waitingBytes > MAX_WAITING_BYTES;
  }

  /** Has the method asked with a message that is whole, once all that was read with it is known. */
  void gather(ByteBuf in, int offset, int length) {
    gatheredPlace = calls.gathered().add(this, in, offset, length);
  }

  /** All that was read with its message is known. */
  void askGathered(ByteBuf in, int offset, int length) {
    gatheredPlace = GatheredCalls.NOWHERE;
    try {
      ask(calls.message(in, offset, length));
    } catch (RuntimeException | Error bug) {
      failed(bug);
    }
  }

  /** Asks the method with a message that is whole. */
  void ask(DirectBuffer message) {
    if (calls.parts.clock().nowNs() >= deadlineNs) {
      abort(GrpcStatus.DEADLINE_EXCEEDED, "the deadline has passed");
      return;
    }
    isAsked = true;
    calls.asking(method);
    method.call(this);
  }

  /** No more messages come. */
  void streamEnded() {
    if (isAsked) {
      method.ended(this);
    } else {
      end();
    }
  }

  @Override
  public void trailersReceived(FieldBlock fields) {
    dataReceived(Unpooled.EMPTY_BUFFER, 0, 0, true);
  }

  @Override
  public void cancelled(StreamEnd how, int errorCode) {
    cancel();
    ended(GrpcStatus.CANCELLED);
  }

  private void cancel() {
    if (isAsked) {
      method.cancelled(this);
    }
  }

  /** Fails the call, of which its method is told if it has been asked; returns false. */
  boolean abort(GrpcStatus status, String message) {
    cancel();
    return fail(status, message);
  }

  @Override
  public void bytesSent(int bytes) {
    waitingBytes -= bytes;
  }

  /** The message, from 0 to its capacity; valid during {@link GrpcMethod#call} only. */
  public DirectBuffer message() {
    return calls.message();
  }

  /** The other end of the connection that it came on. */
  public Peer peer() {
    return peer;
  }

  /** Which of the configured tokens its client has, from 1; 0 if none. */
  public int token() {
    return token;
  }

  /** Whether its client has a token; if not, the call has failed. */
  public boolean requireToken() {
    if (token > 0) {
      return true;
    }
    return calls.parts.tokens().isEmpty()
        ? fail(GrpcStatus.PERMISSION_DENIED, "no tokens are configured (expected: decision-tokens)")
        : fail(GrpcStatus.UNAUTHENTICATED, Tokens.EXPECTED);
  }

  /** When its head came, in the loop's time. */
  public long arrivedNs() {
    return arrivedNs;
  }

  /** When its client waits no longer, in the loop's time; or {@link Deadlines#NEVER}. */
  public long deadlineNs() {
    return deadlineNs;
  }

  /** Keeps what its method wants again until the call is over. */
  public void attach(Object kept) {
    attachment = kept;
  }

  /** The object that was attached; null if none was. */
  public Object attachment() {
    return attachment;
  }

  /**
   * Begins an answer: it is written there, and sent by {@link #send}, before any other call is
   * answered.
   */
  public ProtoWriter answer() {
    return calls.writer().begin();
  }

  /** Sends the answer that was written, and ends the call unless it is a streaming one. */
  public void send() {
    ProtoWriter writer = calls.writer();
    byte[] message = writer.array();
    GrpcHeads.writePrefix(message, writer.length());
    if (!method.isStreaming()
        && connection.sendAnswer(stream, calls.unaryAnswer(), message, writer.end())) {
      ended(GrpcStatus.OK);
      return;
    }
    if (!answered) {
      answered = true;
      connection.sendHead(stream, GrpcHeads.ANSWER, false);
    }
    waitingBytes += connection.sendData(stream, message, writer.end(), false);
    if (!method.isStreaming()) {
      end();
    }
  }

  /** Ends the call well; a unary one has sent its answer. */
  public void end() {
    if (answered) {
      connection.sendTrailers(stream, GrpcHeads.OK);
    } else {
      connection.sendHead(stream, GrpcHeads.status(GrpcStatus.OK, ""), true);
    }
    ended(GrpcStatus.OK);
  }

  /**
   * Ends the call with a status that says why it has no answer, or no more of it.
   *
   * @param message tells a person what was wrong and what was expected.
   * @return false, for those who say by that that the call has ended.
   */
  public boolean fail(GrpcStatus status, String message) {
    if (answered) {
      connection.sendTrailers(stream, GrpcHeads.trailers(status, message));
    } else {
      connection.sendHead(stream, GrpcHeads.status(status, message), true);
    }
    ended(status);
    return false;
  }

  /** The call is over, and serves another. */
  private void ended(GrpcStatus status) {
    Http2Connection served = connection;
    if (gatheredPlace != GatheredCalls.NOWHERE) {
      calls.gathered().leave(gatheredPlace);
      gatheredPlace = GatheredCalls.NOWHERE;
    }
    messages.discard();
    if (isCounted) {
      isCounted = false;
      calls.streaming().leave(served);
    }
    connection = null;
    calls.parts.observer().callEnded(method.kind(), status.code());
    time.end();
    attachment = null;
    served.release(stream);
    calls.give(this);
  }

  /** Something of ours has failed: the call ends, and no other. */
  private void failed(Throwable bug) {
    InternalErrors.caught("a call of gRPC", bug);
    if (connection != null) {
      if (method.isStreaming()) {
        cancel(); // a unary one does not know of a call that it has failed at
      }
      fail(GrpcStatus.INTERNAL, "an internal error");
    }
  }
}

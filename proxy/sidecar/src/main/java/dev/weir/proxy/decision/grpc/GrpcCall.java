package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.decision.http.Tokens;
import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.downstream.h2.RoutedStream;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.StreamEnd;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.Peer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.agrona.DirectBuffer;

/**
 * One gRPC call, from its head to its status. Belongs to its stream until then; the event loop
 * reuses it.
 */
public final class GrpcCall implements RoutedStream {
  /** The status message for bytes that are not a message of the method. */
  public static final String NO_MESSAGE = "the message is none of this method's";

  /** The longest message that is accepted. */
  public static final int MAX_MESSAGE_BYTES = 4 << 20;

  /** The longest message of a streaming call, several of which may wait. */
  static final int MAX_STREAMED_BYTES = 32 * 1024;

  /** A streaming call with more unread answers takes no further message for now. */
  private static final int MAX_WAITING_BYTES = 256 * 1024;

  private final GrpcCalls calls;
  private final LengthPrefixedMessages messages;
  private final Time time = new Time();

  /** The stream's connection; null while the call is unused. */
  private Http2Connection connection;

  private int stream;
  private GrpcMethod method;
  private Peer peer;
  private long arrivedNs;
  private long deadlineNs;
  private long contentLength;
  private int token;

  /** The status with which the call is refused before its method gets it; null for none. */
  private GrpcStatus fault;

  private String faultMessage;

  private int waitingBytes;
  private boolean answered;
  private boolean isAsked;
  private boolean isListed;

  /** Whether it counts among the {@link StreamingCalls}. */
  private boolean isCounted;

  /** The place among the {@link GatheredCalls}. */
  private int gatheredPlace = GatheredCalls.NOWHERE;

  private Object attachment;

  /** The deadline of the call. */
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

  /** Begins with a head. */
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

  /** Refuses the call as soon as it has its stream. */
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

  /** Whether it is on the list of calls that are checked when the turn ends. */
  boolean isListed() {
    return isListed;
  }

  void list(boolean listed) {
    isListed = listed;
  }

  /** The turn in which the call began has ended: sets its deadline, if it still waits. */
  void turnEnded() {
    if (connection != null) {
      await(isAsked ? endNs() : Math.min(deadlineNs, arrivedNs + calls.bodyNs()));
    }
  }

  /** When the call ends at the latest, once its method has it. */
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

  /** Its connection; null while the call is unused. */
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

  /** Whether so many of its answers are unread that it takes no further message for now. */
  boolean areAnswersUnread() {
    return waitingBytes > MAX_WAITING_BYTES;
  }

  /** Passes a complete message to the method, after all frames of the read are known. */
  void gather(ByteBuf in, int offset, int length) {
    gatheredPlace = calls.gathered().add(this, in, offset, length);
  }

  /** All frames of the read are known: passes the message to the method. */
  void askGathered(ByteBuf in, int offset, int length) {
    gatheredPlace = GatheredCalls.NOWHERE;
    try {
      ask(calls.message(in, offset, length));
    } catch (RuntimeException | Error bug) {
      failed(bug);
    }
  }

  /** Passes a complete message to the method. */
  void ask(DirectBuffer message) {
    if (calls.parts.clock().nowNs() >= deadlineNs) {
      abort(GrpcStatus.DEADLINE_EXCEEDED, "the deadline has passed");
      return;
    }
    isAsked = true;
    calls.asking(method);
    method.call(this);
  }

  /** The client has ended its side. */
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

  /** Fails the call; its method is told if it has the call. Returns false. */
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

  /** The peer of the connection. */
  public Peer peer() {
    return peer;
  }

  /** The number of the client's token among those configured, from 1; 0 if it has none. */
  public int token() {
    return token;
  }

  /** Fails the call unless its client has a token; returns whether it has. */
  public boolean requireToken() {
    if (token > 0) {
      return true;
    }
    return calls.parts.tokens().isEmpty()
        ? fail(GrpcStatus.PERMISSION_DENIED, "no tokens are configured (expected: decision-tokens)")
        : fail(GrpcStatus.UNAUTHENTICATED, Tokens.EXPECTED);
  }

  /** When its head arrived, in the loop's time. */
  public long arrivedNs() {
    return arrivedNs;
  }

  /** The client's deadline, in the loop's time; or {@link Deadlines#NEVER}. */
  public long deadlineNs() {
    return deadlineNs;
  }

  /** Keeps an object for the method until the call ends. */
  public void attach(Object kept) {
    attachment = kept;
  }

  /** The attached object; null if there is none. */
  public Object attachment() {
    return attachment;
  }

  /** Begins an answer, which is sent by {@link #send} before any other call is answered. */
  public ProtoWriter answer() {
    return calls.writer().begin();
  }

  /** Sends the answer, and ends the call unless it is streaming. */
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

  /** Ends the call with status OK; a unary call has sent its answer. */
  public void end() {
    if (answered) {
      connection.sendTrailers(stream, GrpcHeads.OK);
    } else {
      connection.sendHead(stream, GrpcHeads.status(GrpcStatus.OK, ""), true);
    }
    ended(GrpcStatus.OK);
  }

  /**
   * Ends the call with an error status.
   *
   * @param message says what was wrong and what was expected.
   * @return false, for callers whose result says whether the call goes on.
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

  /** Ends the call, so that it can be reused. */
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

  /** Ends this call, and no other, after an unexpected exception. */
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

package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.decision.http.DecisionParts;
import dev.weir.proxy.decision.http.EndpointOrigin;
import dev.weir.proxy.decision.http.HttpRoute;
import dev.weir.proxy.decision.http.Tokens;
import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.downstream.h2.RoutedStream;
import dev.weir.proxy.downstream.h2.StreamRouter;
import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.grpc.GrpcTimeout;
import dev.weir.proxy.http2.AnswerTemplate;
import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldKind;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.FreeList;
import dev.weir.proxy.loop.TurnEnd;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.TargetNormaliser;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Finds the gRPC calls among the streams of clients, and has the state that they share. One per
 * event loop.
 */
public final class GrpcCalls implements StreamRouter, TurnEnd.Member {
  /** The most calls of one connection at once. */
  static final int MAX_STREAMS = 1_000;

  /**
   * The most bytes that a connection holds: one message of the greatest length, and some others.
   */
  public static final long MAX_RECEIVED_BYTES = GrpcCall.MAX_MESSAGE_BYTES + (1L << 20);

  /** The most unused calls that are kept for later. */
  private static final int MAX_KEPT = 1_000;

  private static final int PREFIX_BYTES = 5;
  private static final String TIMEOUT_EXPECTED =
      " (expected: 1 to 8 digits and one of H, M, S, m, u and n)";
  private static final byte[] POST = HttpRoute.ascii("POST");
  private static final byte[] IDENTITY = HttpRoute.ascii("identity");

  private final GrpcMethods methods;
  private final EndpointOrigin endpoints;
  final DecisionParts parts;
  private final long bodyNs;
  private final FreeList<GrpcCall> free = new FreeList<>(MAX_KEPT, () -> new GrpcCall(this));
  private final ProtoWriter writer = new ProtoWriter(PREFIX_BYTES);
  private final AnswerTemplate unaryAnswer = new AnswerTemplate(GrpcHeads.ANSWER, GrpcHeads.OK);
  private final UnsafeBuffer message = new UnsafeBuffer(0, 0);
  private final GatheredCalls gathered = new GatheredCalls();

  /** The method of the last call in this read; null if there was none. */
  private GrpcMethod asked;

  private final StreamingCalls streaming = new StreamingCalls();

  /** The long messages of each connection that has any. */
  private final Map<Http2Connection, LongMessages> longMessages = new IdentityHashMap<>();

  /** Calls that have begun in this turn. */
  private List<GrpcCall> begun = new ArrayList<>();

  private List<GrpcCall> ending = new ArrayList<>();

  public GrpcCalls(
      GrpcMethods methods, EndpointOrigin endpoints, DecisionParts parts, long bodyNs) {
    this.methods = methods;
    this.endpoints = endpoints;
    this.parts = parts;
    this.bodyNs = bodyNs;
  }

  @Override
  public int maxStreams() {
    return MAX_STREAMS;
  }

  @Override
  public long maxReceivedBytes() {
    return MAX_RECEIVED_BYTES;
  }

  @Override
  public RoutedStream route(FieldBlock fields, Peer peer) {
    if (fields.malformed()
        || fields.tooLarge()
        || fields.hasPseudo(FieldKind.STATUS)
        || fields.hasPseudo(FieldKind.PROTOCOL)
        || !fields.hasPseudo(FieldKind.SCHEME)) {
      return null;
    }
    DirectBuffer bytes = fields.bytes();
    int path = -1;
    int timeout = -1;
    int encoding = -1;
    int token = 0;
    boolean isPost = false;
    boolean isCall = false;
    long contentLength = -1;
    for (int i = 0; i < fields.count(); i++) {
      switch (fields.kind(i)) {
        case FieldKind.PATH -> path = i;
        case FieldKind.METHOD -> isPost = isValue(fields, i, POST);
        case FieldKind.CONTENT_TYPE ->
            isCall =
                GrpcContentType.of(bytes, fields.valueOffset(i), fields.valueLength(i))
                    == GrpcContentType.GRPC;
        case FieldKind.GRPC_TIMEOUT -> timeout = i;
        case FieldKind.GRPC_ENCODING -> encoding = i;
        case FieldKind.AUTHORIZATION ->
            token = parts.tokens().find(bytes, fields.valueOffset(i), fields.valueLength(i));
        case FieldKind.CONTENT_LENGTH -> {
          if (contentLength != -1) {
            return null; // it comes twice
          }
          contentLength = Ascii.decimal(bytes, fields.valueOffset(i), fields.valueLength(i));
          if (contentLength == Ascii.NO_NUMBER) {
            return null;
          }
        }
        default -> {
          // Nobody asks for it.
        }
      }
    }
    if (!isCall || !isPost || path < 0) {
      return null;
    }
    return call(fields, peer, path, timeout, encoding, contentLength, token);
  }

  private GrpcCall call(
      FieldBlock fields,
      Peer peer,
      int path,
      int timeout,
      int encoding,
      long contentLength,
      int token) {
    DirectBuffer bytes = fields.bytes();
    GrpcMethod method = methods.find(bytes, fields.valueOffset(path), fields.valueLength(path));
    if (method == null && isOfHttp(bytes, fields.valueOffset(path), fields.valueLength(path))) {
      return null;
    }
    long nowNs = parts.clock().nowNs();
    long timeoutNs = timeout < 0 ? GrpcTimeout.NONE : timeoutNs(fields, timeout);
    long untilNs =
        timeoutNs == GrpcTimeout.NONE || timeoutNs >= Deadlines.NEVER - nowNs
            ? Deadlines.NEVER
            : nowNs + timeoutNs;
    GrpcCall call = free.take();
    call.head(
        method == null ? UnknownMethod.INSTANCE : method,
        peer,
        nowNs,
        untilNs,
        contentLength,
        token);
    if (method == null) {
      call.refuse(GrpcStatus.UNIMPLEMENTED, "no method " + text(fields, path));
    } else if (encoding >= 0 && !isValue(fields, encoding, IDENTITY)) {
      call.refuse(
          GrpcStatus.UNIMPLEMENTED,
          "grpc-encoding: " + text(fields, encoding) + " (expected: identity)");
    } else if (parts.tokens().areRequired() && token == 0 && method.needsToken()) {
      call.refuse(GrpcStatus.UNAUTHENTICATED, Tokens.EXPECTED);
    } else if (timeout >= 0 && timeoutNs == GrpcTimeout.NONE) {
      call.refuse(GrpcStatus.INTERNAL, "grpc-timeout: " + text(fields, timeout) + TIMEOUT_EXPECTED);
    } else if (timeoutNs == 0) {
      call.refuse(GrpcStatus.DEADLINE_EXCEEDED, "the deadline has passed");
    }
    return call;
  }

  /**
   * Whether a path belongs to an HTTP endpoint, or is malformed: both are answered as HTTP
   * requests.
   */
  private boolean isOfHttp(DirectBuffer bytes, int at, int length) {
    return length == 0
        || bytes.getByte(at) != '/'
        || !TargetNormaliser.isQuery(bytes, at, length) // nor may such bytes stand in a path
        || endpoints.takes(bytes, at, length);
  }

  private static long timeoutNs(FieldBlock fields, int field) {
    return GrpcTimeout.parseNs(
        fields.bytes(), fields.valueOffset(field), fields.valueLength(field));
  }

  private static String text(FieldBlock fields, int field) {
    return fields.text(fields.valueOffset(field), Math.min(200, fields.valueLength(field)));
  }

  private static boolean isValue(FieldBlock fields, int field, byte[] expected) {
    return Ascii.equals(
        fields.bytes(), fields.valueOffset(field), fields.valueLength(field), expected);
  }

  /** Takes back a call that has ended. */
  void give(GrpcCall call) {
    free.give(call);
  }

  /** Waits for a call's message: if it has not come by the end of the turn, it gets a deadline. */
  void listen(GrpcCall call) {
    if (!call.isListed()) {
      call.list(true);
      if (begun.isEmpty()) {
        parts.turnEnd().join(this);
      }
      begun.add(call);
    }
  }

  @Override
  public void turnEnded() {
    List<GrpcCall> told = begun;
    begun = ending;
    ending = told;
    for (int i = 0; i < told.size(); i++) {
      GrpcCall call = told.get(i);
      call.list(false);
      call.turnEnded();
    }
    told.clear();
  }

  /** Begins a long message of a call; false if its connection has too many. */
  boolean joinLong(LengthPrefixedMessages messages) {
    return longMessages
        .computeIfAbsent(messages.connection(), connection -> new LongMessages())
        .join(messages);
  }

  /** Whether more of a call's long message may come now. */
  boolean isGathered(LengthPrefixedMessages messages) {
    return longMessages.get(messages.connection()).isGathered(messages);
  }

  /** Ends a long message of a call, complete or not. */
  void leaveLong(LengthPrefixedMessages messages) {
    LongMessages of = longMessages.get(messages.connection());
    of.leave(messages);
    if (of.isEmpty()) {
      longMessages.remove(messages.connection());
    }
  }

  @Override
  public void readEnding() {
    gathered.askAll();
    asking(null);
  }

  /** Calls of a method follow: tells the method before it that none of its own follow. */
  void asking(GrpcMethod method) {
    if (method != asked) {
      GrpcMethod before = asked;
      asked = method;
      if (before != null) {
        before.askedAll();
      }
    }
  }

  /** The streaming calls that there are. */
  StreamingCalls streaming() {
    return streaming;
  }

  /** Calls that are made when all frames of a read are known. */
  GatheredCalls gathered() {
    return gathered;
  }

  /** A view of a message, until the next call. */
  DirectBuffer message(ByteBuf in, int offset, int length) {
    ChannelIo.view(in, offset, length, message);
    return message;
  }

  /** The last message. */
  DirectBuffer message() {
    return message;
  }

  ProtoWriter writer() {
    return writer;
  }

  /** The template of a successful answer with one message. */
  AnswerTemplate unaryAnswer() {
    return unaryAnswer;
  }

  /** How long a message may take to arrive. */
  long bodyNs() {
    return bodyNs;
  }
}

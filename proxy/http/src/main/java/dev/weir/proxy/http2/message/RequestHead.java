package dev.weir.proxy.http2.message;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.exchange.HostSyntax;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.exchange.WebSocketKey;
import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.grpc.GrpcTimeout;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.FieldKind;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TargetNormaliser;
import io.netty.buffer.ByteBuf;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads the head of a request (RFC 9113, section 8.3.1) out of the fields of its block: what the
 * pseudo fields say, what frames and routes, and which fields are passed on. One per event loop,
 * reused for every request; what it says is valid until the block's fields are replaced.
 */
public final class RequestHead implements IncomingRequest {
  /** The outcome of reading a head. */
  public enum Outcome {
    /** A request. */
    READ,
    /** A message that no request may be: its stream is reset (RFC 9113, section 8.1.1). */
    MALFORMED,
    /** A request that is refused before it is decided; {@link #refusal()} says why. */
    REFUSED
  }

  private static final byte[] HEAD = ascii("HEAD");
  private static final byte[] CONNECT = ascii("CONNECT");
  private static final byte[] OPTIONS = ascii("OPTIONS");
  private static final byte[] HTTP = ascii("http");
  private static final byte[] HTTPS = ascii("https");
  private static final byte[] CONTINUE = ascii("100-continue");
  private static final int NONE = -1;

  private final int maxTargetBytes;
  private final boolean forwards;
  private final RequestView view;
  private final FieldPolicy policy = new FieldPolicy();
  private final UnsafeBuffer memory = new UnsafeBuffer(0, 0);

  private FieldBlock block;
  private RefusalReason refusal;
  private int hostField;
  private long contentLength;
  private boolean endStream;
  private boolean headMethod;
  private boolean expectContinue;
  private boolean webSocket;
  private GrpcContentType grpcType;

  /**
   * @param maxFieldCount the most fields in a head.
   * @param maxTargetBytes the longest request target, in bytes.
   * @param forwards whether requests go on to a service. If not, a path stays as it came, and none
   *     is a call of gRPC.
   */
  public RequestHead(int maxFieldCount, int maxTargetBytes, boolean forwards) {
    this.maxTargetBytes = maxTargetBytes;
    this.forwards = forwards;
    this.view = new RequestView(maxFieldCount);
  }

  /**
   * Reads the head in {@code fields}.
   *
   * @param ends whether neither content nor trailers follow.
   * @param peer who sent it.
   */
  public Outcome read(FieldBlock fields, boolean ends, Peer peer) {
    start(fields, ends, peer);
    if (block.malformed() || block.hasPseudo(FieldKind.STATUS)) {
      return Outcome.MALFORMED;
    }
    int method = block.find(FieldKind.METHOD, 0);
    if (method != NONE) {
      headMethod = block.isValue(method, HEAD);
    }
    readGrpcType();
    if (block.tooLarge()) {
      return refuse(RefusalReason.HEAD_TOO_LARGE);
    }
    if (method == NONE || !isToken(method)) {
      return Outcome.MALFORMED;
    }
    view.method(block.valueOffset(method), block.valueLength(method));
    if (block.hasPseudo(FieldKind.PROTOCOL)) {
      Outcome outcome = readProtocol(method);
      if (outcome != Outcome.READ) {
        return outcome;
      }
    } else if (block.isValue(method, CONNECT)) {
      return refuse(RefusalReason.METHOD_NOT_SUPPORTED); // a tunnel to a host
    }
    if (!hasScheme()) {
      return Outcome.MALFORMED;
    }
    Outcome outcome = readPath(block.isValue(method, OPTIONS));
    if (outcome == Outcome.READ) {
      outcome = readFields();
    }
    return outcome == Outcome.READ ? readAuthority() : outcome;
  }

  /**
   * Reads which protocol a stream is to be a tunnel for (RFC 8441, section 4). A WebSocket is asked
   * for by GET, as over HTTP/1.1: a rule means both.
   */
  private Outcome readProtocol(int method) {
    int protocol = block.find(FieldKind.PROTOCOL, 0);
    if (!block.isValue(method, CONNECT) || !isToken(protocol)) {
      return Outcome.MALFORMED;
    }
    webSocket =
        WebSocketKey.isWebSocket(
            block.bytes(), block.valueOffset(protocol), block.valueLength(protocol));
    if (!webSocket) {
      return refuse(RefusalReason.PROTOCOL_NOT_SUPPORTED);
    }
    grpcType = GrpcContentType.NONE;
    view.method(FieldBlock.GET_OFFSET, FieldBlock.GET_BYTES);
    return Outcome.READ;
  }

  private void readGrpcType() {
    int field = forwards ? block.find(FieldKind.CONTENT_TYPE, 0) : NONE;
    grpcType =
        field == NONE
            ? GrpcContentType.NONE
            : GrpcContentType.of(block.bytes(), block.valueOffset(field), block.valueLength(field));
  }

  private void start(FieldBlock fields, boolean ends, Peer peer) {
    block = fields;
    endStream = ends;
    refusal = null;
    hostField = NONE;
    contentLength = -1;
    headMethod = false;
    expectContinue = false;
    webSocket = false;
    grpcType = GrpcContentType.NONE;
    DirectBuffer bytes = fields.bytes();
    view.reset(bytes, 0, bytes.capacity(), peer);
    policy.startRequest(peer.trusted());
  }

  private boolean hasScheme() {
    int scheme = block.find(FieldKind.SCHEME, 0);
    return scheme != NONE && (block.isValue(scheme, HTTP) || block.isValue(scheme, HTTPS));
  }

  private Outcome readPath(boolean mayBeAsterisk) {
    int field = block.find(FieldKind.PATH, 0);
    if (field == NONE || block.valueLength(field) == 0) {
      return Outcome.MALFORMED;
    }
    DirectBuffer bytes = block.bytes();
    int offset = block.valueOffset(field);
    int length = block.valueLength(field);
    if (length > maxTargetBytes) {
      return refuse(RefusalReason.TARGET_TOO_LONG);
    }
    if (mayBeAsterisk && length == 1 && bytes.getByte(offset) == '*') {
      view.path(offset, length);
      return Outcome.READ;
    }
    int pathLength = length;
    for (int i = length - 1; i >= 0; i--) {
      byte b = bytes.getByte(offset + i);
      if (b == '?') {
        pathLength = i;
      } else if (b == ' ' || b == '#') {
        return Outcome.MALFORMED;
      }
    }
    if (bytes.getByte(offset) != '/') {
      return Outcome.MALFORMED;
    }
    return readTarget(offset, pathLength, offset + length);
  }

  /** Values of the static table, which must stay as they are, are in normal form. */
  private Outcome readTarget(int offset, int pathLength, int end) {
    memory.wrap(block.bytes());
    int result =
        forwards
            ? TargetNormaliser.normalise(memory, offset, pathLength, memory, offset)
            : TargetNormaliser.ALREADY_NORMAL;
    RefusalReason reason = TargetNormaliser.refusal(result);
    if (reason != null) {
      return refuse(reason);
    }
    view.path(offset, result == TargetNormaliser.ALREADY_NORMAL ? pathLength : result);
    int queryOffset = offset + pathLength + 1;
    if (queryOffset <= end) {
      if (!TargetNormaliser.isQuery(memory, queryOffset, end - queryOffset)) {
        return refuse(RefusalReason.MALFORMED_TARGET);
      }
      view.query(queryOffset, end - queryOffset);
    }
    return Outcome.READ;
  }

  private Outcome readFields() {
    for (int i = 0; i < block.count(); i++) {
      int kind = block.kind(i);
      if (!FieldKind.isPseudo(kind)) {
        if (!view.addField(
            block.nameOffset(i), block.nameLength(i), block.valueOffset(i), block.valueLength(i))) {
          return refuse(RefusalReason.HEAD_TOO_LARGE);
        }
        KnownField known = KnownKinds.of(kind);
        Outcome outcome = known == null ? Outcome.READ : take(known, i);
        if (outcome != Outcome.READ) {
          return outcome;
        }
      }
    }
    if (contentLength > 0 && (endStream || webSocket)) {
      return Outcome.MALFORMED;
    }
    boolean hasNone = endStream || webSocket;
    view.contentLength(
        hasNone ? 0 : contentLength >= 0 ? contentLength : RequestView.UNKNOWN_LENGTH);
    return Outcome.READ;
  }

  private Outcome take(KnownField known, int field) {
    switch (known) {
      case HOST -> {
        if (hostField != NONE) {
          return refuse(RefusalReason.MALFORMED_HOST);
        }
        hostField = field;
      }
      case CONTENT_LENGTH -> {
        if (contentLength >= 0) {
          return Outcome.MALFORMED;
        }
        contentLength =
            Ascii.decimal(block.bytes(), block.valueOffset(field), block.valueLength(field));
        if (contentLength == Ascii.NO_NUMBER) {
          return Outcome.MALFORMED;
        }
      }
      case EXPECT -> {
        if (!Ascii.equalsIgnoreCase(
            block.bytes(), block.valueOffset(field), block.valueLength(field), CONTINUE)) {
          return refuse(RefusalReason.EXPECTATION_FAILED);
        }
        expectContinue = !endStream && !webSocket;
      }
      default -> {
        // The policy says all that there is to say of the others.
      }
    }
    if (!policy.passesRequest(known)) {
      view.omit(view.fieldCount() - 1);
    }
    return Outcome.READ;
  }

  /** {@code :authority} and Host are one: whoever reads either must not be told another. */
  private Outcome readAuthority() {
    int authority = block.find(FieldKind.AUTHORITY, 0);
    int said = authority == NONE ? hostField : authority;
    if (said == NONE) {
      return refuse(RefusalReason.MALFORMED_HOST);
    }
    int offset = block.valueOffset(said);
    int length = block.valueLength(said);
    if (!HostSyntax.isValid(block.bytes(), offset, length)
        || hostField != NONE && !block.haveSameValue(said, hostField)) {
      return refuse(RefusalReason.MALFORMED_HOST);
    }
    view.authority(offset, length);
    return Outcome.READ;
  }

  private boolean isToken(int field) {
    return Ascii.isToken(block.bytes(), block.valueOffset(field), block.valueLength(field));
  }

  private Outcome refuse(RefusalReason reason) {
    refusal = reason;
    return Outcome.REFUSED;
  }

  public RefusalReason refusal() {
    return refusal;
  }

  /** The {@link FieldKind} of a field of {@link #view}. */
  public int kind(int fieldIndex) {
    return block.kind(inBlock(fieldIndex));
  }

  /** Writes a field of {@link #view} as it came. */
  void writeField(int fieldIndex, FieldEncoder encoder, ByteBuf out) {
    encoder.field(out, block, inBlock(fieldIndex));
  }

  private int inBlock(int fieldIndex) {
    return block.count() - view.fieldCount() + fieldIndex;
  }

  @Override
  public RequestView view() {
    return view;
  }

  @Override
  public boolean hasBody() {
    return !endStream && !webSocket;
  }

  @Override
  public long contentLength() {
    return webSocket ? -1 : contentLength;
  }

  @Override
  public boolean headMethod() {
    return headMethod;
  }

  @Override
  public boolean expectContinue() {
    return expectContinue;
  }

  @Override
  public boolean upgrade() {
    return webSocket;
  }

  /** Whether the stream is to be a WebSocket's; what else it may be for is refused. */
  @Override
  public boolean webSocket() {
    return webSocket;
  }

  /** Whether it is a call of gRPC, and in which form; also of a request that is refused. */
  public GrpcContentType grpcType() {
    return grpcType;
  }

  /** A call says it in {@code grpc-timeout}. */
  @Override
  public long timeoutNs() {
    int field = grpcType == GrpcContentType.NONE ? NONE : block.find(FieldKind.GRPC_TIMEOUT, 0);
    if (field == NONE) {
      return NO_TIMEOUT;
    }
    long timeoutNs =
        GrpcTimeout.parseNs(block.bytes(), block.valueOffset(field), block.valueLength(field));
    return timeoutNs == GrpcTimeout.NONE ? NO_TIMEOUT : timeoutNs;
  }

  /** A stream of gRPC may be silent for as long as it likes. */
  @Override
  public boolean mayPause() {
    return grpcType == GrpcContentType.GRPC;
  }
}

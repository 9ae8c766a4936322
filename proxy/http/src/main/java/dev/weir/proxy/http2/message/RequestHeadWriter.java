package dev.weir.proxy.http2.message;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.exchange.ForwardedFields;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.FieldKind;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.agrona.DirectBuffer;

/**
 * Writes the head of a request, of whatever protocol, as a field block of HTTP/2 (RFC 9113, section
 * 8.3.1): the pseudo fields, the fields that pass, names in lower case, and behind them who asked
 * and through what. The block means the same on any connection. One per event loop.
 */
public final class RequestHeadWriter {
  // Indices of the static table (RFC 7541, appendix A).
  private static final int METHOD_GET = 2;
  private static final int METHOD_POST = 3;
  private static final int PATH_ROOT = 4;
  private static final int SCHEME_HTTP = 6;
  private static final int SCHEME_HTTPS = 7;

  private static final byte[] GET = ascii("GET");
  private static final byte[] POST = ascii("POST");
  private static final byte[] CONNECT = ascii("CONNECT");
  private static final byte[] WEBSOCKET = ascii("websocket");
  private static final byte[] TRAILERS = ascii("trailers");
  private static final byte[] CONTINUE = ascii("100-continue");

  private static final byte[] GRPC_TIMEOUT = ascii("grpc-timeout");

  /** The most bytes that are added to a block, beyond the client's own. */
  private static final int ADDED_BYTES = 512;

  private static final int NONE = -1;

  private final FieldEncoder encoder = new FieldEncoder();
  private final FieldPolicy policy = new FieldPolicy();
  private final ForwardedFields forwarded = new ForwardedFields(new FieldNotation());
  private final byte[] upstreamAuthority;
  private final boolean secure;
  private int timeoutOffset;

  /**
   * @param upstreamAuthority what to say as authority for a client that gave none.
   * @param secure whether the connections to the service are encrypted: its scheme.
   */
  public RequestHeadWriter(String upstreamAuthority, boolean secure) {
    this.upstreamAuthority = ascii(upstreamAuthority);
    this.secure = secure;
  }

  /**
   * Writes a block.
   *
   * @return a buffer of its own, the caller's to release.
   */
  public ByteBuf write(IncomingRequest head, ByteBufAllocator allocator) {
    RequestView view = head.view();
    ByteBuf out = allocator.directBuffer(mostBytes(view));
    policy.startRequest(view.peer().trusted());
    writePseudoFields(head, view, out);
    int timeout = writeFields(head, view, out);
    if (head.expectContinue()) {
      encoder.field(out, FieldKind.EXPECT, CONTINUE);
    }
    if (head.contentLength() >= 0) {
      encoder.field(out, FieldKind.CONTENT_LENGTH, head.contentLength());
    }
    forwarded.write(out, view, policy);
    timeoutOffset = NONE;
    if (timeout >= 0) {
      timeoutOffset = out.writerIndex() - out.readerIndex();
      writeField(head, view, timeout, out);
    }
    return out;
  }

  /**
   * Where in the block that was written last the field begins that says how long the client waits,
   * behind all others; -1 if there is none.
   */
  public int timeoutOffset() {
    return timeoutOffset;
  }

  /** Appends to a block how long the client waits, in gRPC's words. */
  public void writeTimeout(byte[] text, int length, ByteBuf out) {
    encoder.begin(out, FieldKind.GRPC_TIMEOUT, length);
    out.writeBytes(text, 0, length);
  }

  private int mostBytes(RequestView view) {
    return ADDED_BYTES
        + upstreamAuthority.length
        + view.lineBytes()
        + view.authorityLength()
        + view.peer().text().length
        + view.fieldBytes(FieldEncoder.FIELD_OVERHEAD_BYTES);
  }

  private void writePseudoFields(IncomingRequest head, RequestView view, ByteBuf out) {
    DirectBuffer bytes = view.bytes();
    int method = view.methodOffset();
    int methodLength = view.methodLength();
    if (head.webSocket()) {
      encoder.field(out, FieldKind.METHOD, CONNECT);
      encoder.field(out, FieldKind.PROTOCOL, WEBSOCKET);
    } else if (Ascii.equals(bytes, method, methodLength, GET)) {
      encoder.indexed(out, METHOD_GET);
    } else if (Ascii.equals(bytes, method, methodLength, POST)) {
      encoder.indexed(out, METHOD_POST);
    } else {
      encoder.field(out, FieldKind.METHOD, bytes, method, methodLength, false);
    }
    encoder.indexed(out, secure ? SCHEME_HTTPS : SCHEME_HTTP);
    if (view.authorityLength() > 0) {
      encoder.field(
          out, FieldKind.AUTHORITY, bytes, view.authorityOffset(), view.authorityLength(), false);
    } else {
      encoder.field(out, FieldKind.AUTHORITY, upstreamAuthority);
    }
    writePath(view, out);
  }

  private void writePath(RequestView view, ByteBuf out) {
    int queryLength = view.queryLength();
    if (queryLength < 0
        && view.pathLength() == 1
        && view.bytes().getByte(view.pathOffset()) == '/') {
      encoder.indexed(out, PATH_ROOT);
      return;
    }
    encoder.begin(out, FieldKind.PATH, view.pathLength() + 1 + queryLength);
    encoder.append(out, view.bytes(), view.pathOffset(), view.pathLength());
    if (queryLength >= 0) {
      out.writeByte('?');
      encoder.append(out, view.bytes(), view.queryOffset(), queryLength);
    }
  }

  /** Writes the fields that pass, but for that of the client's time, whose index it returns. */
  private int writeFields(IncomingRequest head, RequestView view, ByteBuf out) {
    DirectBuffer bytes = view.bytes();
    boolean asksForTrailers = false;
    int timeout = NONE;
    for (int i = 0; i < view.fieldCount(); i++) {
      KnownField known = known(head, view, i);
      if (known == KnownField.TE) {
        asksForTrailers |= FieldPolicy.asksForTrailers(view, i);
      } else if (!view.omits(i) && policy.passesForeign(known)) {
        if (timeout < 0
            && Ascii.equalsIgnoreCase(
                bytes, view.nameOffset(i), view.nameLength(i), GRPC_TIMEOUT)) {
          timeout = i;
        } else {
          writeField(head, view, i, out);
        }
      }
    }
    if (asksForTrailers) {
      encoder.field(out, FieldKind.TE, TRAILERS);
    }
    return timeout;
  }

  /** A head of HTTP/2 was decoded with the kinds of its names. */
  private static KnownField known(IncomingRequest head, RequestView view, int index) {
    return head instanceof RequestHead decoded
        ? KnownKinds.of(decoded.kind(index))
        : KnownField.lookUp(view.bytes(), view.nameOffset(index), view.nameLength(index));
  }

  private void writeField(IncomingRequest head, RequestView view, int index, ByteBuf out) {
    if (head instanceof RequestHead decoded) {
      decoded.writeField(index, encoder, out);
      return;
    }
    int name = view.nameOffset(index);
    int nameLength = view.nameLength(index);
    encoder.field(
        out,
        view.bytes(),
        name,
        nameLength,
        view.valueOffset(index),
        view.valueLength(index),
        FieldKind.isSecret(view.bytes(), name, nameLength));
  }
}

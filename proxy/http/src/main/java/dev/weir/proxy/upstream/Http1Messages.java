package dev.weir.proxy.upstream;

import dev.weir.proxy.exchange.BodyForm;
import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.WebSocketKey;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.http1.RequestHeadWriter;
import dev.weir.proxy.http1.ResponseHead;
import dev.weir.proxy.http1.TrailerSection;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Heads and trailers of the exchanges of one event loop with a service of HTTP/1.1: written, and
 * read, one at a time.
 */
final class Http1Messages {
  /** The most fields in a response's head. */
  private static final int MAX_FIELD_COUNT = 256;

  private final RequestHeadWriter headWriter;
  private final ResponseHead head = new ResponseHead(MAX_FIELD_COUNT);
  private final TrailerSection trailers = new TrailerSection(MAX_FIELD_COUNT);
  private final UnsafeBuffer window = new UnsafeBuffer(0, 0);

  /**
   * @param authority what to say as Host for clients that gave none.
   */
  Http1Messages(String authority) {
    headWriter = new RequestHeadWriter(authority);
  }

  /** Writes a head. */
  void encode(IncomingRequest incoming, EncodedHead out) {
    WebSocketKey key = key(incoming);
    ByteBuf bytes = write(incoming, key);
    boolean isFramed =
        incoming instanceof RequestHead same
            ? !same.chunked() || !out.wantsContent()
            : incoming.contentLength() >= 0;
    out.set(bytes, incoming, isFramed ? BodyForm.AS_FRAMED : BodyForm.DATA);
    if (key != null) {
      out.webSocketKey(key);
    }
  }

  /**
   * Writes a head beside that in another protocol, as it is not known which of them the service
   * speaks; the body comes in a form that both can frame.
   */
  void encodeOther(IncomingRequest incoming, EncodedHead out) {
    WebSocketKey key = key(incoming);
    BodyForm form = incoming.contentLength() < 0 ? BodyForm.DATA : BodyForm.AS_FRAMED;
    out.or(write(incoming, key), form);
    if (key != null) {
      out.webSocketKey(key);
    }
  }

  private ByteBuf write(IncomingRequest incoming, WebSocketKey key) {
    return incoming instanceof RequestHead same
        ? headWriter.write(same, ByteBufAllocator.DEFAULT)
        : headWriter.writeForeign(incoming, key, ByteBufAllocator.DEFAULT);
  }

  /** A key for a client whose protocol has none; else null. */
  private static WebSocketKey key(IncomingRequest incoming) {
    return !(incoming instanceof RequestHead) && incoming.webSocket()
        ? WebSocketKey.random()
        : null;
  }

  /** Scans the heads of all connections, one at a time. */
  ResponseHead head() {
    return head;
  }

  /** Looks at the bytes that are being read. */
  UnsafeBuffer window() {
    return window;
  }

  /** Reads trailer fields; {@link #window} is theirs then. */
  RequestView trailers(ByteBuf lines) {
    ChannelIo.view(lines, window);
    return trailers.read(window, lines.readableBytes());
  }
}

package dev.weir.proxy.upstream;

import dev.weir.proxy.exchange.BodyForm;
import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.WebSocketKey;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.http1.RequestHeadWriter;
import dev.weir.proxy.http1.ResponseHead;
import dev.weir.proxy.http1.TrailerSection;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes and reads the heads and trailers of one event loop's HTTP/1.1 exchanges with a service,
 * one at a time.
 */
final class Http1Messages {
  /** The most fields in a response's head. */
  private static final int MAX_FIELD_COUNT = 256;

  private final RequestHeadWriter headWriter;
  private final ResponseHead head = new ResponseHead(MAX_FIELD_COUNT);
  private final TrailerSection trailers = new TrailerSection(MAX_FIELD_COUNT);
  private final UnsafeBuffer window = new UnsafeBuffer(0, 0);

  /**
   * @param authority for the Host field, if a client gave none.
   */
  Http1Messages(String authority) {
    headWriter = new RequestHeadWriter(authority);
  }

  void encode(IncomingRequest incoming, EncodedHead out) {
    WebSocketKey key = key(incoming);
    ByteBuf bytes = write(incoming, key);
    boolean isFramed = incoming instanceof RequestHead || incoming.contentLength() >= 0;
    out.set(bytes, incoming, isFramed ? BodyForm.AS_FRAMED : BodyForm.DATA);
    out.webSocketKey(key);
  }

  /**
   * Writes a head in HTTP/1.1 beside that in HTTP/2, as it is not known which of them the service
   * speaks; the body then comes in a form that both can frame.
   */
  void encodeOther(IncomingRequest incoming, EncodedHead out) {
    WebSocketKey key = key(incoming);
    BodyForm form = incoming.contentLength() < 0 ? BodyForm.DATA : BodyForm.AS_FRAMED;
    out.or(write(incoming, key), form);
    out.webSocketKey(key);
  }

  private ByteBuf write(IncomingRequest incoming, WebSocketKey key) {
    return incoming instanceof RequestHead same
        ? headWriter.write(same, ByteBufAllocator.DEFAULT)
        : headWriter.writeForeign(incoming, key, ByteBufAllocator.DEFAULT);
  }

  /** A WebSocket key for a client whose protocol has none; otherwise null. */
  private static WebSocketKey key(IncomingRequest incoming) {
    return !(incoming instanceof RequestHead) && incoming.webSocket()
        ? WebSocketKey.random()
        : null;
  }

  /** The scanner of heads. */
  ResponseHead head() {
    return head;
  }

  /** A view of the bytes that are being read. */
  UnsafeBuffer window() {
    return window;
  }

  /** Reads trailer fields, of one response at a time. */
  RequestView trailers(ByteBuf lines) {
    return trailers.read(lines);
  }
}

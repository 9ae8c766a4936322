package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Peer;
import io.netty.buffer.ByteBuf;

/**
 * The head of a request, encoded in the service's protocol, and what the connection must know to
 * read the response. The head is encoded when the request may pass, as the client's buffer is
 * reused, and then waits for a connection. One per request in flight, reused.
 */
public final class EncodedHead {
  /**
   * The result of {@link #timeLeftNs} if the service may get the client's {@code grpc-timeout}
   * unchanged.
   */
  public static final long AS_RECEIVED = -1;

  private ByteBuf bytes;
  private boolean hasBody;
  private boolean hasLength;
  private boolean headMethod;
  private boolean upgrade;
  private boolean webSocket;
  private WebSocketKey webSocketKey;
  private boolean wantsContent;
  private Peer peer;
  private BodyForm bodyForm = BodyForm.AS_FRAMED;
  private long timeLeftNs = AS_RECEIVED;
  private int timeoutOffset = -1;
  private boolean isBlock;
  private ByteBuf other;
  private BodyForm otherForm;

  /**
   * Sets, before the head is sent, whether the body must come as {@link BodyForm#DATA}, unless its
   * framing adds no bytes to the content.
   */
  void wantsContent(boolean isLookedAt) {
    wantsContent = isLookedAt;
  }

  /**
   * Takes over {@code encoded}.
   *
   * @param form in which the body will come. A body that comes as {@link BodyForm#DATA} is framed
   *     by the connection that sends it.
   */
  public void set(ByteBuf encoded, IncomingRequest head, BodyForm form) {
    bytes = encoded;
    peer = head.view().peer();
    hasBody = head.hasBody();
    hasLength = head.contentLength() >= 0;
    headMethod = head.headMethod();
    upgrade = head.upgrade();
    webSocket = head.webSocket();
    webSocketKey = null;
    bodyForm = form;
    timeLeftNs = AS_RECEIVED;
    timeoutOffset = -1;
    isBlock = false;
  }

  /**
   * Marks the bytes as a block of HTTP/2 fields.
   *
   * @param timeoutAt index of {@code grpc-timeout}, which is the last field; -1 if there is none.
   */
  public void isBlock(int timeoutAt) {
    isBlock = true;
    timeoutOffset = timeoutAt;
  }

  /** Whether the bytes are a block of HTTP/2 fields; otherwise they are a head of HTTP/1.1. */
  public boolean isBlock() {
    return isBlock;
  }

  /**
   * Takes over the same head in HTTP/1.1, as it is not known yet which of the two the service
   * speaks.
   *
   * @param form in which the body comes if the service speaks HTTP/1.1.
   */
  public void or(ByteBuf http1, BodyForm form) {
    other = http1;
    otherForm = form;
  }

  /** Returns the head in HTTP/1.1, once; null if it was not encoded in HTTP/1.1. */
  public ByteBuf takeHttp1() {
    if (isBlock && other != null) {
      bytes.release();
      bytes = other;
      bodyForm = otherForm;
      isBlock = false;
      other = null;
    }
    return isBlock ? null : take();
  }

  /** Sets the WebSocket key that Weir has made, as the client gave none. */
  public void webSocketKey(WebSocketKey key) {
    webSocketKey = key;
  }

  /**
   * The WebSocket key that Weir has made, whose answer Weir itself checks; null if the key is the
   * client's.
   */
  public WebSocketKey webSocketKey() {
    return webSocketKey;
  }

  /** The index at which {@code grpc-timeout} begins; -1 if there is none. */
  public int timeoutOffset() {
    return timeoutOffset;
  }

  /** Sets how much of the client's {@code grpc-timeout} is left, as the request has waited here. */
  void timeLeftNs(long ns) {
    timeLeftNs = ns;
  }

  /**
   * What is left of the client's {@code grpc-timeout}, 0 or more, if the service has to get another
   * value than the client sent; otherwise {@link #AS_RECEIVED}.
   */
  public long timeLeftNs() {
    return timeLeftNs;
  }

  /** Bytes of memory that this takes while it waits. */
  int memoryBytes() {
    return (bytes == null ? 0 : bytes.capacity()) + (other == null ? 0 : other.capacity());
  }

  /** Returns the encoded bytes, once. */
  public ByteBuf take() {
    discardOther();
    ByteBuf taken = bytes;
    bytes = null;
    return taken;
  }

  /** The other end of the connection that the request came on. */
  public Peer peer() {
    return peer;
  }

  /** Whether content follows. */
  public boolean hasBody() {
    return hasBody;
  }

  /** Whether the response has no content because the method is HEAD. */
  public boolean headMethod() {
    return headMethod;
  }

  /** Whether the connection may become a tunnel. */
  public boolean upgrade() {
    return upgrade;
  }

  /** Whether the request asks for a WebSocket, in either version of HTTP. */
  public boolean webSocket() {
    return webSocket;
  }

  /** How the body will come. */
  public BodyForm bodyForm() {
    return wantsContent && !hasLength ? BodyForm.DATA : bodyForm;
  }

  private void discardOther() {
    if (other != null) {
      other.release();
      other = null;
    }
  }

  /** Releases the bytes, if they have not been taken. */
  void discard() {
    discardOther();
    if (bytes != null) {
      bytes.release();
      bytes = null;
    }
  }
}

package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Peer;
import io.netty.buffer.ByteBuf;

/**
 * The head of a request in the bytes of the service's protocol, and what its connection must know
 * to read the answer. It is written when the request may pass, as the client's bytes do not stay,
 * and waits for a connection. One per request in flight, reused.
 */
public final class EncodedHead {
  /** The result of {@link #timeLeftNs} if the head may say of it what the client said. */
  public static final long AS_RECEIVED = -1;

  private ByteBuf bytes;
  private boolean hasBody;
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

  /** Says, before the head is encoded, whether the body's content will be looked at. */
  void wantsContent(boolean isLookedAt) {
    wantsContent = isLookedAt;
  }

  /** Whether a body has to come as {@link BodyForm#DATA}, unless its framing adds no byte. */
  public boolean wantsContent() {
    return wantsContent;
  }

  /**
   * Takes over {@code encoded}.
   *
   * @param form how the body will come: {@link BodyForm#DATA} has to be framed by who sends it.
   */
  public void set(ByteBuf encoded, IncomingRequest head, BodyForm form) {
    bytes = encoded;
    peer = head.view().peer();
    hasBody = head.hasBody();
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
   * Says that the bytes are a block of fields of HTTP/2.
   *
   * @param timeoutAt where the field begins, behind all others, that says how long the client
   *     waits; -1 if there is none.
   */
  public void isBlock(int timeoutAt) {
    isBlock = true;
    timeoutOffset = timeoutAt;
  }

  /** Whether the bytes are a block of fields of HTTP/2; else they are a head of HTTP/1.1. */
  public boolean isBlock() {
    return isBlock;
  }

  /**
   * Takes over the head in HTTP/1.1 too, as it is not known which of the two the service speaks.
   *
   * @param form how the body is taken behind that.
   */
  public void or(ByteBuf http1, BodyForm form) {
    other = http1;
    otherForm = form;
  }

  /** Hands over the bytes in HTTP/1.1, once; null if the head was not written in that. */
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

  /** Says which key is in a head of HTTP/1.1 that the client gave none for. */
  public void webSocketKey(WebSocketKey key) {
    webSocketKey = key;
  }

  /** The key whose answer the client will not look at, as it is ours; null if there is none. */
  public WebSocketKey webSocketKey() {
    return webSocketKey;
  }

  /** The index at which that field begins; -1 if there is none. */
  public int timeoutOffset() {
    return timeoutOffset;
  }

  /** The request has waited here, and so much is left of the time that its client gives it. */
  void timeLeftNs(long ns) {
    timeLeftNs = ns;
  }

  /**
   * How long the client still waits for the end of its response, 0 or more, if the service is to be
   * told other than the client said; or {@link #AS_RECEIVED}.
   */
  public long timeLeftNs() {
    return timeLeftNs;
  }

  /** The memory that it takes while it waits. */
  int memoryBytes() {
    return (bytes == null ? 0 : bytes.capacity()) + (other == null ? 0 : other.capacity());
  }

  /** Hands over the bytes, once. */
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

  /** Whether the response has no content, as the method is HEAD. */
  public boolean headMethod() {
    return headMethod;
  }

  /** Whether the connection may become a tunnel. */
  public boolean upgrade() {
    return upgrade;
  }

  /** Whether a WebSocket is asked for, which either version of HTTP can ask for. */
  public boolean webSocket() {
    return webSocket;
  }

  /** How the body will come. */
  public BodyForm bodyForm() {
    return bodyForm;
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

package dev.weir.proxy.exchange;

import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;

/**
 * The service's side of one request, while there is one. If a call fails, the failure is remembered
 * and later bytes are dropped, until the request looks at {@link #failure}.
 */
final class ServiceLink {
  private ServiceSide side;
  private RefusalReason failure;
  private boolean isCalling;

  /** A new request, which has no connection yet. */
  void start() {
    failure = null;
  }

  /** There is a connection, which takes the head. */
  void open(ServiceSide found, EncodedHead head) {
    side = found;
    begin();
    side.head(head);
    isCalling = false;
  }

  /** Begins a call: never within another, whose failure would be taken for this one's. */
  private void begin() {
    assert !isCalling : "called within a call";
    isCalling = true;
  }

  boolean isOpen() {
    return side != null;
  }

  /** Whether a call is under way: its failure is told to {@link #failed}. */
  boolean isCalling() {
    return isCalling;
  }

  /** The service's side has failed within a call. */
  void failed(RefusalReason reason) {
    failure = reason;
  }

  /** Why the service's side has failed within a call; null if it has not. */
  RefusalReason failure() {
    return failure;
  }

  /** Takes over {@code bytes}, and returns how many of them are held. */
  int data(ByteBuf bytes, boolean end) {
    if (failure != null) {
      bytes.release();
      return 0;
    }
    begin();
    int held = side.data(bytes, end);
    isCalling = false;
    return failure == null ? held : 0;
  }

  /**
   * Whether {@link #data} has copied or sent the bytes when it returns, and keeps no index of the
   * buffer.
   */
  boolean copiesData() {
    return side.copiesData();
  }

  /** Ends the body with trailers, whose bytes stay the caller's. */
  void trailers(RequestView fields) {
    if (failure == null) {
      begin();
      side.trailers(fields);
      isCalling = false;
    }
  }

  /** Flushes what was written; false if the service's side has failed. */
  boolean flush() {
    if (failure == null) {
      begin();
      side.flush();
      isCalling = false;
    }
    return failure == null;
  }

  void responseConsumed(int bytes) {
    side.responseConsumed(bytes);
  }

  /** The service's side has ended the exchange. */
  void ended() {
    side = null;
  }

  /**
   * Resets the service's side, which does not know yet that the exchange is over.
   *
   * @return whether there was an exchange to reset, and it had not failed.
   */
  boolean reset(RequestEnd.How how, int errorCode) {
    ServiceSide left = side;
    side = null;
    boolean isTold = left != null && failure == null;
    if (isTold) {
      left.reset(how, errorCode);
    }
    return isTold;
  }
}

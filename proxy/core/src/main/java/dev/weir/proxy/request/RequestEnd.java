package dev.weir.proxy.request;

/**
 * How one request ended, and what came of it. Owned by an event loop and reused: valid only during
 * the call that hands it over. Times are those of the loop's clock.
 */
public final class RequestEnd {
  /** The time of a step that the request did not come to. */
  public static final long NEVER = 0;

  /** The result of {@link #costReported()} if the service said nothing. */
  public static final long NOT_REPORTED = -1;

  /** The error code of an end that the peer gave no code for. */
  public static final int NO_CODE = -1;

  /** The ways in which a request ends. */
  public enum How {
    /** The service's response was passed on whole. */
    COMPLETE,

    /** The client left, before its verdict or after. */
    CLIENT_GONE,

    /** The service broke off, or was not to be reached. */
    SERVICE_GONE,

    /** The client or the service took longer than it may. */
    TIMED_OUT,

    /** The request was answered here; {@link #forwardedNs} says whether the service knows of it. */
    REFUSED_HERE,

    /** The exchange became a tunnel, which has been closed. */
    UPGRADED_AND_CLOSED
  }

  private How how;
  private int status;
  private long requestBytes;
  private long responseBytes;
  private long costReported;
  private long forwardedNs;
  private long headNs;
  private long lastByteNs;

  /** Starts anew: no status, no bytes, no cost and no times. */
  public RequestEnd set(How ended) {
    how = ended;
    status = 0;
    requestBytes = 0;
    responseBytes = 0;
    costReported = NOT_REPORTED;
    forwardedNs = NEVER;
    headNs = NEVER;
    lastByteNs = NEVER;
    return this;
  }

  /**
   * @param ofProtocol the status that the client was told, in the request's protocol.
   */
  public RequestEnd status(int ofProtocol) {
    status = ofProtocol;
    return this;
  }

  /**
   * Bytes of the bodies, as the client and the service have sent them: of content, and where both
   * speak HTTP/1.1, and what is chunked passes as it came, of its framing too.
   *
   * @param ofRequest towards the service.
   * @param ofResponse towards the client.
   */
  public RequestEnd bytes(long ofRequest, long ofResponse) {
    requestBytes = ofRequest;
    responseBytes = ofResponse;
    return this;
  }

  /** The cost of the request as the service reports it, in units. */
  public RequestEnd costReported(long units) {
    costReported = units;
    return this;
  }

  /**
   * When the request's head went to the service, when the response's head came, and when its last
   * byte went to the client; each {@link #NEVER} if it did not.
   */
  public RequestEnd times(long forwarded, long head, long lastByte) {
    forwardedNs = forwarded;
    headNs = head;
    lastByteNs = lastByte;
    return this;
  }

  public How how() {
    return how;
  }

  /** The status that the client was told, in the request's protocol; 0 if it was told none. */
  public int status() {
    return status;
  }

  /** Bytes of the body that the client has sent, as {@link #bytes} says. */
  public long requestBytes() {
    return requestBytes;
  }

  /** Bytes of the body that the service has sent, as {@link #bytes} says. */
  public long responseBytes() {
    return responseBytes;
  }

  /** The cost of the request as the service reports it, in units; or {@link #NOT_REPORTED}. */
  public long costReported() {
    return costReported;
  }

  /** When the request's head went to the service; or {@link #NEVER}. */
  public long forwardedNs() {
    return forwardedNs;
  }

  /** When the response's head came; or {@link #NEVER}. */
  public long headNs() {
    return headNs;
  }

  /** When the response's last byte went to the client; or {@link #NEVER}. */
  public long lastByteNs() {
    return lastByteNs;
  }
}

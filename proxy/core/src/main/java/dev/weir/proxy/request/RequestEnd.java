package dev.weir.proxy.request;

/**
 * How one request ended. Owned by an event loop and reused: valid only during the call that passes
 * it. Times are those of the loop's clock.
 */
public final class RequestEnd {
  /** The time of a step that was not reached. */
  public static final long NEVER = 0;

  /** The result of {@link #costReported(int)} if none was read, or what was read is no number. */
  public static final long NOT_REPORTED = -1;

  /** Stands for an absent error code. */
  public static final int NO_CODE = -1;

  /** The ways in which a request ends. */
  public enum How {
    /** The service's response was passed on whole. */
    COMPLETE,

    /** The client left, before its verdict or after. */
    CLIENT_GONE,

    /** The service broke off, or could not be reached. */
    SERVICE_GONE,

    /** The client or the service exceeded a time limit. */
    TIMED_OUT,

    /** The request was answered here; {@link #forwardedNs} says whether the service received it. */
    REFUSED_HERE,

    /** The exchange became a tunnel, which has been closed. */
    UPGRADED_AND_CLOSED
  }

  private How how;
  private int status;
  private long requestBytes;
  private long responseBytes;
  private boolean isClientLate;
  private int holding = Verdict.NOTHING_HELD;
  private final long[] costsReported = new long[Question.MAX_COSTS];
  private int costCount;
  private long forwardedNs;
  private long headNs;
  private long lastByteNs;

  /** Starts anew, without status, bytes, cost and times. */
  public RequestEnd set(How ended) {
    how = ended;
    isClientLate = false;
    status = 0;
    requestBytes = 0;
    responseBytes = 0;
    holding = Verdict.NOTHING_HELD;
    costCount = 0;
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
   * Bytes of the bodies, as the client and the service have sent them: content, and chunked framing
   * too if both speak HTTP/1.1 and no cost is read from the content.
   *
   * @param ofRequest towards the service.
   * @param ofResponse towards the client.
   */
  public RequestEnd bytes(long ofRequest, long ofResponse) {
    requestBytes = ofRequest;
    responseBytes = ofResponse;
    return this;
  }

  /**
   * Sets whether the client's time was over: the one that it gave for the whole response ({@code
   * grpc-timeout}), or the one that it had to send its request or to take its response.
   */
  public RequestEnd clientLate(boolean isOver) {
    isClientLate = isOver;
    return this;
  }

  /** Sets the name of the holding that the request had: {@link Verdict#holding}. */
  public RequestEnd holding(int held) {
    holding = held;
    return this;
  }

  /**
   * Adds the cost that was read for the next of {@link Verdict#reportedCosts}, in their order.
   *
   * @param units 0 or more; or {@link #NOT_REPORTED}.
   */
  public RequestEnd costReported(long units) {
    costsReported[costCount++] = units;
    return this;
  }

  /**
   * Sets when the request's head went to the service, when the response's head came, and when its
   * last byte went to the client; each {@link #NEVER} if it did not.
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

  /** Whether the client's time was over: {@link #clientLate}. */
  public boolean isClientLate() {
    return isClientLate;
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

  /** The name of the holding that the request had; or {@link Verdict#NOTHING_HELD}. */
  public int holding() {
    return holding;
  }

  /**
   * The cost that was read, in units; or {@link #NOT_REPORTED}, also if the end came before the
   * costs were known.
   *
   * @param index of the cost in {@link Verdict#reportedCosts}.
   */
  public long costReported(int index) {
    return index < costCount ? costsReported[index] : NOT_REPORTED;
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

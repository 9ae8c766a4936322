package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;

/**
 * The record of one request in flight: status, bytes and times, in the loop's time. It is reported
 * when the request ends.
 */
final class RequestRecord {
  private final RequestLoop loop;
  private int status;
  private long requestBytes;
  private long responseBytes;
  private long arrivedNs;
  private long heldNs;
  private long departedNs;
  private long headNs;

  /** Whether the client was too slow, or its own deadline has passed. */
  private boolean isClientLate;

  /** The name of what the request holds. */
  private int holding;

  RequestRecord(RequestLoop loop) {
    this.loop = loop;
  }

  /** The head of a request has arrived. */
  void arrived(long nowNs) {
    status = 0;
    requestBytes = 0;
    responseBytes = 0;
    arrivedNs = nowNs;
    heldNs = 0;
    departedNs = RequestEnd.NEVER;
    headNs = RequestEnd.NEVER;
    isClientLate = false;
    holding = Verdict.NOTHING_HELD;
  }

  /** A verdict lets the request hold this until it ends: {@link Verdict#holding}. */
  void holding(int named) {
    holding = named;
  }

  /** The client's time is over, as {@link RequestEnd#clientLate} says. */
  void clientLate() {
    isClientLate = true;
  }

  /** Admission has held the request in a queue for this long. */
  void held(long ns) {
    heldNs = ns;
  }

  /** Its head has gone to the service. */
  void departed(long nowNs) {
    departedNs = nowNs;
  }

  /** The head of the response has arrived. */
  void responded(long nowNs) {
    headNs = nowNs;
  }

  /** The client was sent this status. */
  void status(int told) {
    status = told;
  }

  /** The client has sent this many bytes of the body. */
  void addRequestBytes(int count) {
    requestBytes += count;
  }

  /** The service has sent this many bytes of the body. */
  void addResponseBytes(int count) {
    responseBytes += count;
  }

  long totalNs(long nowNs) {
    return nowNs - arrivedNs;
  }

  /** The service's response has been passed on whole. */
  void completed(Protocol protocol) {
    long nowNs = loop.clock.tick();
    long upstreamNs = headNs - departedNs;
    long outwardNs = departedNs - arrivedNs - heldNs;
    loop.observer.completed(
        protocol, status, totalNs(nowNs), upstreamNs, outwardNs + nowNs - headNs);
  }

  /** The request, or the rest of it, was answered here. */
  void refused(RefusalReason reason) {
    loop.observer.refused(reason);
  }

  /** How a request ends that is answered or cut here for a reason. */
  static RequestEnd.How how(RefusalReason reason) {
    return switch (reason) {
      case UPSTREAM_UNREACHABLE,
          UPSTREAM_CONNECTION_REFUSED,
          UPSTREAM_NAME_UNRESOLVED,
          UPSTREAM_TLS_FAILED,
          UPSTREAM_CLOSED,
          UPSTREAM_MALFORMED ->
          RequestEnd.How.SERVICE_GONE;
      case UPSTREAM_CONNECT_TIMEOUT, UPSTREAM_TIMEOUT, BODY_TIMEOUT, DEADLINE_EXCEEDED ->
          RequestEnd.How.TIMED_OUT;
      default -> RequestEnd.How.REFUSED_HERE;
    };
  }

  /**
   * The request has ended.
   *
   * @param awaitedTicket of a verdict that has not come.
   * @param costs that were read.
   */
  void ended(RequestEnd.How how, long awaitedTicket, ReportedCosts costs) {
    long nowNs = loop.clock.nowNs();
    loop.observer.requestEnded();
    RequestEnd end =
        loop.end
            .set(how)
            .clientLate(isClientLate)
            .status(status)
            .bytes(requestBytes, responseBytes)
            .holding(holding)
            .times(departedNs, headNs, how == RequestEnd.How.COMPLETE ? nowNs : RequestEnd.NEVER);
    if (costs.areWanted()) {
      costs.tell(end, requestBytes, responseBytes);
    }
    loop.admission.ended(awaitedTicket, end);
  }
}

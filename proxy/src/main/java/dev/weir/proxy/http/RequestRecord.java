package dev.weir.proxy.http;

import dev.weir.proxy.request.RequestEnd;

/**
 * What is written down of one request while it is in flight: status, bytes, and when what happened,
 * in the loop's time.
 */
final class RequestRecord {
  private int status;
  private long requestBytes;
  private long responseBytes;
  private long arrivedNs;
  private long heldNs;
  private long departedNs;
  private long headNs;

  /** The head of a request has arrived. */
  void arrived(long nowNs) {
    status = 0;
    requestBytes = 0;
    responseBytes = 0;
    arrivedNs = nowNs;
    heldNs = 0;
    departedNs = RequestEnd.NEVER;
    headNs = RequestEnd.NEVER;
  }

  /** Admission held it on purpose for so long. */
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

  /** The client is told this status. */
  void status(int told) {
    status = told;
  }

  int status() {
    return status;
  }

  /** The client has sent so much of the body. */
  void addRequestBytes(int count) {
    requestBytes += count;
  }

  /** The service has sent so much of the body. */
  void addResponseBytes(int count) {
    responseBytes += count;
  }

  long totalNs(long nowNs) {
    return nowNs - arrivedNs;
  }

  /** How long the service took. */
  long upstreamNs() {
    return headNs - departedNs;
  }

  /** What the proxy added: on the way out, and from the response's arrival until {@code nowNs}. */
  long overheadNs(long nowNs) {
    return departedNs - arrivedNs - heldNs + nowNs - headNs;
  }

  /** Says in {@code end} how it has ended, which is now. */
  RequestEnd describe(RequestEnd end, RequestEnd.How how, long nowNs) {
    return end.set(how)
        .status(status)
        .bytes(requestBytes, responseBytes)
        .times(departedNs, headNs, how == RequestEnd.How.COMPLETE ? nowNs : RequestEnd.NEVER);
  }
}

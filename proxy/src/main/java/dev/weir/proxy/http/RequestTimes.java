package dev.weir.proxy.http;

import dev.weir.proxy.request.RequestEnd;

/** When what happened to one request, in the loop's time, and what follows from that. */
final class RequestTimes {
  private long arrivedNs;
  private long heldNs;
  private long departedNs;
  private long headNs;

  /** The head of the request has arrived. */
  void arrived(long nowNs) {
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

  long departedNs() {
    return departedNs;
  }

  long headNs() {
    return headNs;
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
}

package dev.weir.proxy.request;

/**
 * Why a connection to a service of HTTP/2 gets no new streams, though the service would take them.
 */
public enum ReplacementCause {
  /** The service refused three streams within a second, although it had allowed more of them. */
  REFUSED_STREAMS,

  /** The service did not answer a ping in time. */
  UNANSWERED_PING,

  /** Two requests had no answer in time, and nothing else came meanwhile. */
  SILENCE,

  /**
   * Content of some streams waited for its window, which others held and the service did not open.
   */
  SHUT_WINDOW
}

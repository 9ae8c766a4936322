package dev.weir.proxy.request;

/** Why Weir replaces a connection to a service of HTTP/2. */
public enum ReplacementCause {
  /** The service refused three streams within a second, although its settings allowed them. */
  REFUSED_STREAMS,

  /** The service did not answer a ping in time. */
  UNANSWERED_PING,

  /** Two requests had no answer in time, and nothing else came meanwhile. */
  SILENCE,

  /**
   * Content of some streams waited for the connection's window, which others held and the service
   * did not open.
   */
  SHUT_WINDOW
}

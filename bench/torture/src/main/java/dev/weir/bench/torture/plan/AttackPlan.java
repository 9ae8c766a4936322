package dev.weir.bench.torture.plan;

/**
 * A hostile client.
 *
 * @param number tells it from the others, whatever is left out.
 * @param connections how many it has at once, unless its kind says so.
 */
public record AttackPlan(int number, Kind kind, int connections, long fromMs, long lastsMs) {
  /** What it does. */
  public enum Kind {
    /** Opens all streams that it may, and ends none. */
    ENDLESS_STREAMS,
    /** Opens all streams that it may on more than a thousand connections to one sidecar. */
    STREAM_FLOOD,
    /** Uploads what the service does not read, by HTTP/2. */
    UNREAD_UPLOADS,
    /** Sends bodies of checks by HTTP, but for their ends, one after the other. */
    CHECK_BODIES,
    /** Calls reflection of the decision API, and sends one message after the other. */
    REFLECTIONS,
    /** Asks for large bodies by HTTP/1.1 and reads nothing. */
    UNREAD_HTTP1,
    /** Asks for large bodies by HTTP/2 and gives no window. */
    UNREAD_HTTP2,
    /** Sends bodies a byte at a time. */
    SLOW_BODIES,
    /** Sends heads a byte at a time. */
    SLOW_HEADS,
    /** Sends a part of a request, and ends or resets the connection. */
    CUT_REQUESTS,
    /** Sends what no protocol knows, and heads that are too large. */
    GARBAGE,
    /** Opens streams and resets them at once. */
    RAPID_RESETS,
    /** A new identity with each request. */
    INVENTED_IDENTITIES,
    /** Sends a request and its FIN, and reads late. */
    HALF_CLOSED,
    /** Calls {@code Health/Watch} of the decision API. */
    WATCHES,
    /** Begins a handshake of TLS, at times with a message that is cut or spoilt, and goes. */
    ABORTED_HANDSHAKES,
    /** Asks for paths where the service is slow, silent, lies or resets. */
    BAD_SERVICE;

    /** Whether it takes a machine of its own: it is drawn only if that is asked for. */
    public boolean isHard() {
      return this == STREAM_FLOOD
          || this == UNREAD_UPLOADS
          || this == CHECK_BODIES
          || this == REFLECTIONS;
    }
  }
}

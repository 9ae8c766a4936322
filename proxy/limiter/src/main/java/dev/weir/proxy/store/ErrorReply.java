package dev.weir.proxy.store;

/** An error reply of a server that did not execute a call, by its first word. */
enum ErrorReply {
  /** The server does not have the script: after a start, a flush or a failover. */
  NOSCRIPT(Remedy.SEND_SOURCE),

  /** The slot belongs to another server. */
  MOVED(Remedy.FOLLOW),

  /** The slot is being moved to another server. */
  ASK(Remedy.FOLLOW),

  /**
   * The slot is being moved, and some keys of the call are on the other server, or do not exist.
   */
  TRYAGAIN(Remedy.SPLIT),
  CLUSTERDOWN(Remedy.REFRESH),
  MASTERDOWN(Remedy.REFRESH),

  /** The server is a replica; it was a master when the map was read. */
  READONLY(Remedy.REFRESH),
  LOADING(Remedy.NONE),

  /** The server has no memory left, and evicts nothing. */
  OOM(Remedy.NONE),
  BUSY(Remedy.NONE),
  NOAUTH(Remedy.NONE),
  NOPERM(Remedy.NONE),
  CROSSSLOT(Remedy.NONE),
  MISCONF(Remedy.NONE),
  NOREPLICAS(Remedy.NONE),
  OTHER(Remedy.NONE);

  /** The ways that can still lead to a decision within the deadline. */
  enum Remedy {
    SEND_SOURCE,
    FOLLOW,
    /** Send the checks one by one. */
    SPLIT,
    /** Read the map of the servers again. */
    REFRESH,
    NONE
  }

  private final Remedy remedy;

  ErrorReply(Remedy remedy) {
    this.remedy = remedy;
  }

  Remedy remedy() {
    return remedy;
  }

  static ErrorReply of(String message) {
    ErrorReply reply = at(message, 0);
    // Up to 6.2 a server says first that a script failed, and then what a command said to it.
    int inner = reply == OTHER ? message.indexOf(": -") : -1;
    return inner < 0 ? reply : at(message, inner + 3);
  }

  private static ErrorReply at(String message, int start) {
    int end = message.indexOf(' ', start);
    String code = message.substring(start, end < 0 ? message.length() : end);
    for (ErrorReply reply : values()) {
      if (reply.name().equals(code)) {
        return reply;
      }
    }
    return OTHER;
  }
}

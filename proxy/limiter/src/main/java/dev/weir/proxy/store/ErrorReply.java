package dev.weir.proxy.store;

/** An error that a server replies instead of executing a call, by its first word. */
enum ErrorReply {
  /** The script is not known there: after a start, a flush or a failover. */
  NOSCRIPT(Remedy.SEND_SOURCE),

  /** The slot has another owner. */
  MOVED(Remedy.FOLLOW),

  /** The slot is on its way to another owner. */
  ASK(Remedy.FOLLOW),

  /** The slot is on its way, and some keys of the call are on the other side, or nowhere yet. */
  TRYAGAIN(Remedy.SPLIT),
  CLUSTERDOWN(Remedy.REFRESH),
  MASTERDOWN(Remedy.REFRESH),

  /** A replica: it was a master when the map was made. */
  READONLY(Remedy.REFRESH),
  LOADING(Remedy.NONE),

  /** No memory left, and the policy evicts nothing. */
  OOM(Remedy.NONE),
  BUSY(Remedy.NONE),
  NOAUTH(Remedy.NONE),
  NOPERM(Remedy.NONE),
  CROSSSLOT(Remedy.NONE),
  MISCONF(Remedy.NONE),
  NOREPLICAS(Remedy.NONE),
  OTHER(Remedy.NONE);

  /** A way to a decision in spite of an error, within its deadline. */
  enum Remedy {
    SEND_SOURCE,
    FOLLOW,
    /** Sends one key at a time. */
    SPLIT,
    /** The map of the servers is old. */
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

package dev.weir.proxy.exchange;

/**
 * The treatment of a field on its way through the proxy: whether it passes as it came, and whether
 * the proxy adds its own.
 */
public enum FieldTreatment {
  /** Passes as it came, like every field that is not known. */
  KEPT,

  /** Each version of HTTP reads this field and writes it anew: framing and routing. */
  FRAMING,

  /** Removed: the field is about this connection, or addressed to this proxy. */
  DROPPED,

  /** Passes from a trusted peer only, as any other peer could claim to be somebody else. */
  BELIEVED,

  /** Passes from a trusted peer; otherwise the proxy writes its own. */
  BELIEVED_OR_ADDED,

  /** Passes unchanged; the proxy writes its own if there is none. */
  KEPT_OR_ADDED,

  /** Passes unchanged, and the proxy adds one of its own. */
  KEPT_AND_ADDED,

  /** A list that is written anew: all values that came, and the proxy's entry at its end. */
  EXTENDED,

  /** Passes, unless the proxy reports a limit with less left. */
  STRICTEST;

  /** Whether the field passes as it came, as far as the policy goes. */
  boolean passes(boolean peerTrusted) {
    return switch (this) {
      case DROPPED, EXTENDED -> false;
      case BELIEVED, BELIEVED_OR_ADDED -> peerTrusted;
      case KEPT, FRAMING, KEPT_OR_ADDED, KEPT_AND_ADDED, STRICTEST -> true;
    };
  }

  /** Whether the proxy writes such a field. */
  boolean adds(boolean passed) {
    return switch (this) {
      case KEPT_AND_ADDED, EXTENDED -> true;
      case KEPT_OR_ADDED, BELIEVED_OR_ADDED -> !passed;
      case KEPT, FRAMING, DROPPED, BELIEVED, STRICTEST -> false;
    };
  }
}

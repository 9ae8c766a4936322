package dev.weir.proxy.exchange;

/**
 * The treatment of a field on its way through the proxy: whether it passes as it came, and whether
 * the proxy adds its own.
 */
public enum FieldTreatment {
  /** Passes as it came, like every field that is not known. */
  KEPT(Passes.ALWAYS, Adds.NEVER),

  /** Each version of HTTP reads this field and writes it anew: framing and routing. */
  FRAMING(Passes.ALWAYS, Adds.NEVER),

  /** Removed: the field is about this connection, or addressed to this proxy. */
  DROPPED(Passes.NEVER, Adds.NEVER),

  /** Passes from a trusted peer only, as any other peer could claim to be somebody else. */
  BELIEVED(Passes.IF_TRUSTED, Adds.NEVER),

  /** Passes from a trusted peer; otherwise the proxy writes its own. */
  BELIEVED_OR_ADDED(Passes.IF_TRUSTED, Adds.UNLESS_PASSED),

  /** Passes unchanged; the proxy writes its own if there is none. */
  KEPT_OR_ADDED(Passes.ALWAYS, Adds.UNLESS_PASSED),

  /** Passes unchanged, and the proxy adds one of its own. */
  KEPT_AND_ADDED(Passes.ALWAYS, Adds.ALWAYS),

  /** A list that is written anew: all values that came, and the proxy's entry at its end. */
  EXTENDED(Passes.NEVER, Adds.ALWAYS),

  /** Passes, unless the proxy reports a limit with less left. */
  STRICTEST(Passes.ALWAYS, Adds.NEVER);

  private enum Passes {
    ALWAYS,
    IF_TRUSTED,
    NEVER
  }

  private enum Adds {
    ALWAYS,
    UNLESS_PASSED,
    NEVER
  }

  private final Passes passes;
  private final Adds adds;

  FieldTreatment(Passes passes, Adds adds) {
    this.passes = passes;
    this.adds = adds;
  }

  /** Whether the field passes as it came, as far as the policy goes. */
  boolean passes(boolean peerTrusted) {
    return switch (passes) {
      case ALWAYS -> true;
      case IF_TRUSTED -> peerTrusted;
      case NEVER -> false;
    };
  }

  /** Whether the proxy writes such a field. */
  boolean adds(boolean passed) {
    return switch (adds) {
      case ALWAYS -> true;
      case UNLESS_PASSED -> !passed;
      case NEVER -> false;
    };
  }
}

package dev.weir.proxy.exchange;

/**
 * The treatment of a field on its way through the proxy: whether it passes as it came, and whether
 * the proxy adds its own.
 */
public enum FieldTreatment {
  /** Passes as it came, like every field that is not known. */
  KEPT(Passes.ALWAYS, Adds.NEVER),

  /** Each version of HTTP reads it, and says what becomes of it: framing and routing. */
  FRAMING(Passes.ALWAYS, Adds.NEVER),

  /** Ends here: it is about this connection, or means us. */
  DROPPED(Passes.NEVER, Adds.NEVER),

  /** Passes from a trusted peer; from any other it is a claim about somebody else. */
  BELIEVED(Passes.IF_TRUSTED, Adds.NEVER),

  /** Passes from a trusted peer, and is written by the proxy where none does. */
  BELIEVED_OR_ADDED(Passes.IF_TRUSTED, Adds.UNLESS_PASSED),

  /** Passes as it came, and is written by the proxy where none came. */
  KEPT_OR_ADDED(Passes.ALWAYS, Adds.UNLESS_PASSED),

  /** Passes as it came, and the proxy adds one of its own. */
  KEPT_AND_ADDED(Passes.ALWAYS, Adds.ALWAYS),

  /** A list that is written anew: what came, from whomever, and the proxy's entry at its end. */
  EXTENDED(Passes.NEVER, Adds.ALWAYS),

  /** Passes unless the proxy says the same of a limit that leaves less. */
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

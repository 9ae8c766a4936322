package dev.weir.scripts.server;

/**
 * The present behaviour of a {@link FaultProxy}; compared by identity, so that each setting is
 * another.
 *
 * @param waitMs of a delay, or between the pieces of a trickle.
 * @param answer null unless it answers.
 */
record Fault(Kind kind, int waitMs, int pieceBytes, byte[] answer) {
  static final Fault NONE = new Fault(Kind.NONE, 0, 0, null);

  enum Kind {
    NONE,
    DELAY,
    DROP,
    BLACKHOLE,
    TRICKLE,
    ANSWER,
    REFUSE
  }
}

package dev.weir.scripts.server;

/**
 * What a {@link FaultProxy} does at present; compared by identity, so that each setting is another.
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

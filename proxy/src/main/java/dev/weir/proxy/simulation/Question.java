package dev.weir.proxy.simulation;

/**
 * What a sidecar asked the store, from when it was sent until nothing of it can come back any more.
 * One event is due of it at a time. Reused.
 */
final class Question {
  /** What comes next. */
  enum Step {
    /** The question reaches the store. */
    ASKED,
    /** The store's answer reaches the sidecar. */
    ANSWERED,
    /** The units that were kept have come to the end of their life. */
    LEASE_ENDS,
    /** Units that nobody used reach the store. */
    GIVEN_BACK
  }

  Step step;
  SimulatedSidecar sidecar;

  /** How often the sidecar had crashed: the answer to an earlier life of it is nobody's. */
  int crashes;

  int key;

  /** Its own clock's time. */
  long sentNs;

  /** Requests that wait for it, 0 or 1, and requests to keep. */
  long need;

  long want;

  /** The hand of the key, and what names the ask; for {@link #want}. */
  int hand;

  long askNs;

  /** How long the answer takes to come back, drawn when it is asked. */
  long replyNs;

  boolean isReplyLost;

  long granted;
  long kept;
  long lifeUs;
  long decidedAtUs;
  long retryAfterUs;
  long grantedMark;
  long keptMark;

  /** Where the kept units are. */
  int place;

  long lease;

  /** What is given back, kept for {@link #lifeUs}, by {@link #keptMark}. */
  long unused;
}

package dev.weir.bench.simulation;

import org.agrona.collections.LongArrayList;

/**
 * A question of a sidecar to the store, from its sending until nothing of it can come back. One
 * event is due of it at a time. Reused.
 */
final class Question {
  /** The next event of a question. */
  enum Step {
    /** The question reaches the store. */
    ASKED,
    /** The store's answer reaches the sidecar. */
    ANSWERED,
    /** The units that were kept have come to the end of their life. */
    LEASE_ENDS,
    /** Units that nobody used reach the store. */
    GIVEN_BACK,
    /** Requests have waited long enough for the answer to an ask. */
    PATIENCE_ENDS
  }

  Step step;

  long stepNs;
  SimulatedSidecar sidecar;

  /** How often the sidecar had crashed: the answer to an earlier life of it is nobody's. */
  int crashes;

  /** How often another server had taken over when the store decided. */
  int failovers;

  int key;

  long sentNs;

  /** The requests that it is for: when each has to have its decision, on its sidecar's clock. */
  LongArrayList needs = new LongArrayList();

  /** Requests that wait for what it brings. */
  LongArrayList waiting = new LongArrayList();

  long want;

  /** The hand of the key, and what names the ask; for {@link #want}. */
  int hand;

  long askNs;

  /** How long the answer takes to come back, drawn when it is asked. */
  long replyNs;

  boolean isReplyLost;

  /** Requests that were granted, and units that were kept. */
  long granted;

  long kept;
  long lifeUs;
  long decidedAtUs;
  long retryAfterUs;
  long grantedMark;
  long keptMark;

  /** The place of the kept units in the hand. */
  int place;

  long lease;

  /** Units that are given back, kept for {@link #lifeUs}, by {@link #keptMark}. */
  long unused;
}

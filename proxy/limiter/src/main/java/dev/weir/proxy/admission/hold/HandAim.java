package dev.weir.proxy.admission.hold;

import dev.weir.algorithms.lease.LeaseTerms;

/**
 * How many requests of one key an event loop has units in hand for, in mode leased: the rules, with
 * the time as an argument. The {@linkplain #requests aim} is what the hand is filled up to.
 *
 * <pre>
 * 0      nothing is kept, and ends are told at once: as in mode exact
 *   | a request finds too little in hand, and {@link LeaseTerms#want} says that more come
 * 2...   twice as many each time that the hand runs out within a quarter of a life, up to what is
 *        wanted: half of a life's demand
 *   | the store has less than half of what it was asked for
 * as many as are in hand, or 0 if it kept none; neither more nor ahead for a quarter of a life
 * </pre>
 *
 * <p>Once in a quarter of a life it falls by half of what nobody needed in that time, and to what
 * is wanted then; if no request has arrived in that time, to 0. So nothing stays in hand of limits
 * that nobody asks for any more, such as those of a plan that a user has changed.
 */
final class HandAim {
  private LeaseTerms terms;
  private long demand;
  private long requests;
  private long lookedNs;
  private long grownNs;
  private long pausedUntilNs;

  /** Whether a request has arrived since the last look. */
  private boolean hasArrived;

  void begin(LeaseTerms ofKey) {
    terms = ofKey;
    demand = 0;
    requests = 0;
    lookedNs = 0;
    grownNs = 0;
    pausedUntilNs = 0;
    hasArrived = false;
  }

  /**
   * Goes on by the terms of other rules.
   *
   * @param ofKey null if nothing is to be kept.
   */
  void use(LeaseTerms ofKey) {
    boolean areBoth = ofKey != null && terms != null;
    if (areBoth ? ofKey.lifeNs() != terms.lifeNs() : ofKey != terms) {
      begin(ofKey);
    }
  }

  /** Counts the arrival of a request, whether or not it passes. */
  void arrived(long nowNs) {
    if (terms != null) {
      demand = terms.arrived(demand, nowNs);
      hasArrived = true;
    }
  }

  /** The requests that the hand is filled up to; 0 if nothing is kept. */
  long requests() {
    return requests;
  }

  /** Whether anything is kept. */
  boolean isOn() {
    return requests > 0;
  }

  /** Nothing is kept until the hand runs out again. */
  void stop() {
    requests = 0;
  }

  /** The hand has run out, or is about to. */
  void ranOut(long nowNs) {
    if (terms == null || nowNs < pausedUntilNs) {
      return;
    }
    boolean isSoon = isOn() && nowNs - grownNs < terms.pauseNs();
    long next = Math.max(2, isSoon ? 2 * requests : requests);
    if (!isOn()) {
      lookedNs = nowNs;
    }
    requests = Math.min(next, terms.want(demand, nowNs));
    grownNs = nowNs;
  }

  /** Whether more may be asked for before a request needs it. */
  boolean mayAskAhead(long nowNs) {
    return isOn() && nowNs >= pausedUntilNs;
  }

  /**
   * How many requests to ask for beside those that need their units now.
   *
   * @param inHand requests that there are units in hand for.
   */
  long keep(long inHand, long nowNs) {
    return mayAskAhead(nowNs) ? Math.max(0, requests - inHand) : 0;
  }

  /**
   * The store has answered.
   *
   * @param asked requests beside those that needed their units.
   * @param kept how many of these there are units in hand for.
   * @param inHand requests in all.
   */
  void answered(long asked, long kept, long inHand, long nowNs) {
    if (2 * kept < asked) {
      requests = kept == 0 ? 0 : Math.min(requests, inHand);
      pause(nowNs);
    }
  }

  /** Nothing more is asked for in a quarter of a life. */
  void pause(long nowNs) {
    if (terms != null) {
      pausedUntilNs = nowNs + terms.pauseNs();
    }
  }

  /** Whether a quarter of a life has gone since the last look, or there was none. */
  boolean isLookDue(long nowNs) {
    return isOn() && nowNs - lookedNs >= terms.pauseNs();
  }

  /**
   * Looks at what was needed.
   *
   * @param idle the fewest requests that there were units in hand for since the last look.
   */
  void look(long idle, long nowNs) {
    lookedNs = nowNs;
    long want = hasArrived ? terms.want(demand, nowNs) : 0;
    requests = Math.min(want, Math.max(1, requests - (idle + 1) / 2));
    hasArrived = false;
  }
}

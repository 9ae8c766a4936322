package dev.weir.algorithms.lease;

/**
 * Decides what a hand is used for, and when the store is asked for more: the rules of leases, with
 * the time as an argument. One per thread; the hands are all threads'.
 *
 * <p>A request first {@linkplain LeaseTable#take takes} from the hand. If that is empty, and
 * {@linkplain #isSpaced nothing} keeps it from asking, the store is asked for it, and at the same
 * time for what is {@linkplain #want wanted} beside it; if the hand is about to be empty, that is
 * asked for ahead. Each ask is ended by {@link #answered}, {@link #lost} or its deadline.
 */
public final class Leasing {
  private final LeaseTable hands;
  private final RoundTrips roundTrips;
  private final long deadlineNs;

  /**
   * @param deadlineNs after which an ask without an answer is forgotten.
   */
  public Leasing(LeaseTable hands, RoundTrips roundTrips, long deadlineNs) {
    this.hands = hands;
    this.roundTrips = roundTrips;
    this.deadlineNs = deadlineNs;
  }

  /**
   * Counts the arrival of a request, whether or not it will pass.
   *
   * @return the hand of its key; {@link LeaseTable#NONE} if there is no room for it, or leases of
   *     such a life do not pay.
   */
  public int arrived(long key, LeaseTerms terms, long nowNs) {
    if (!terms.pays(roundTrips.medianNs())) {
      return LeaseTable.NONE;
    }
    int found = hands.find(key);
    int hand = found == LeaseTable.NONE ? hands.claim(key, nowNs) : found;
    if (hand != LeaseTable.NONE) {
      hands.arrived(hand, terms, nowNs);
    }
    return hand;
  }

  /**
   * The hand of a key; {@link LeaseTable#NONE} if it has none, or leases of such a life do not pay.
   */
  public int find(long key, LeaseTerms terms) {
    return terms.pays(roundTrips.medianNs()) ? hands.find(key) : LeaseTable.NONE;
  }

  /**
   * Whether more should be asked for, after a request has taken from the hand: a fifth or less of
   * the last lease is left, or its end is near.
   */
  public boolean isAlmostEmpty(LeaseTerms terms, Taken taken, long nowNs) {
    long ahead = hands.ahead(taken.hand);
    boolean isLow =
        5 * taken.left <= AheadWord.units(ahead)
            || taken.leftNs <= terms.aheadNs() && !AheadWord.isAtEdge(ahead);
    return isLow && mayAskAhead(taken.hand, nowNs);
  }

  /** Whether nothing stands against an ask ahead: none is under way, or found nothing of late. */
  public boolean mayAskAhead(int hand, long nowNs) {
    return !AheadWord.isPaused(hands.ahead(hand), nowNs) && !hands.isAsked(hand, nowNs);
  }

  /** Whether a key is not to ask now, though nothing proves that it would be refused. */
  public boolean isSpaced(int hand, LeaseTerms terms, long nowNs) {
    return terms.isSpaced() && !SpacingWord.isOver(hands.spacing(hand), nowNs);
  }

  /** A key may ask at once: there may be more for it than the store said. */
  public void endSpacing(int hand) {
    long seen = hands.spacing(hand);
    if (seen != 0) {
      hands.spacingCas(hand, seen, 0);
    }
  }

  /** Until when a key is not to ask. */
  public long spacedUntilNs(int hand) {
    return SpacingWord.untilNs(hands.spacing(hand));
  }

  /**
   * How many requests to ask the store for beside what is needed now. If that is any, the ask is
   * under way from now on: it is named by {@link #askNs}.
   *
   * @param cost units of each.
   */
  public long want(int hand, LeaseTerms terms, long cost, long nowNs) {
    long want = Math.min(terms.want(hands.arrivedBefore(hand)), LeaseTable.MAX_UNITS / cost);
    return want > 0 && hands.ask(hand, nowNs, askNs(nowNs)) ? want : 0;
  }

  /** Names an ask that was begun at {@code nowNs}. */
  public long askNs(long nowNs) {
    return nowNs + deadlineNs;
  }

  /** An ask came to nothing, or nobody knows what became of it. */
  public void lost(int hand, long askNs) {
    hands.answered(hand, askNs);
  }

  /**
   * An ask for units to keep has its answer.
   *
   * @param units that were kept, 0 or more.
   * @param wanted units that were to be kept. If less than half of them were there, units are few,
   *     and nothing is asked ahead for a while: else each of the last units would be asked for by
   *     itself.
   * @param isAhead whether nothing was needed at once.
   * @param isAtEdge whether the life of what was kept ends where a window does.
   */
  public void answered(
      int hand,
      LeaseTerms terms,
      long askNs,
      long units,
      long wanted,
      boolean isAhead,
      boolean isAtEdge,
      long nowNs) {
    long seen = hands.ahead(hand);
    if (units > 0 || isAhead) {
      long next = units > 0 ? AheadWord.leased(units, isAtEdge) : seen;
      boolean areFew = 2 * units < wanted;
      long pausedUntilNs = nowNs + terms.pauseNs();
      hands.aheadCas(hand, seen, areFew ? AheadWord.paused(next, pausedUntilNs) : next);
    }
    hands.answered(hand, askNs);
  }

  /**
   * The store has decided on a request of a key.
   *
   * @param isRefused whether it was refused, or had none of what was to be kept beside it.
   * @param sentNs when it was asked.
   * @param provenNs until when that proves the refusal of all that follow unless units come back,
   *     however late that is; any time in the past if it does not.
   */
  public void decided(
      int hand, LeaseTerms terms, boolean isRefused, long sentNs, long provenNs, long nowNs) {
    if (!terms.isSpaced()) {
      return;
    }
    long seen = hands.spacing(hand);
    long next =
        isRefused
            ? SpacingWord.refused(
                seen, sentNs, nowNs, provenNs, 2 * roundTrips.medianNs(), terms.pauseNs())
            : SpacingWord.granted(seen);
    if (next != seen) {
      hands.spacingCas(hand, seen, next); // who comes before says the same
    }
  }
}

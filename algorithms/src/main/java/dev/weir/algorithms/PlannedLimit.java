package dev.weir.algorithms;

/**
 * A paced limit of a user whose plan may change while its budgets are in use. A state word says by
 * its bit 59 ({@link StateWord#PLAN_BIT}) by which of the user's two last plans it counts: it
 * equals the lowest bit of the generation ({@link UserWord#generation}) of the plan that wrote it.
 * A word of the plan before is read as so many units of the present one, rounded up, and the CAS
 * that charges it writes it so. Counts of windows, logs and rings mean the same under any number;
 * such limits are used as they are.
 *
 * <p><b>Guarantee.</b> Whatever the changes, no window of length t passes more than the larger
 * burst plus the larger rate times t, and each plan's burst bites at once: what was used stays
 * used, unit by unit.
 *
 * <p><b>Order.</b> No thread waits for a change:
 *
 * <ul>
 *   <li>Who decides reads the user's word, loads the state word, and then looks whether the user's
 *       word is still that one. If not, he has not decided ({@link #isOutdated}).
 *   <li>Who gives a key its slot looks again once he has published it, before its first state
 *       counts.
 *   <li>Who changes a plan first converts the state words of the user ({@link LimitTable#convert});
 *       so no word is two plans behind, and its one bit tells all. He does so again after the
 *       change: a word drains at the pace of its own plan until then.
 * </ul>
 *
 * <p>Where somebody changes a plan without converting, as for plans that come with requests, a word
 * that is two plans behind is read as the present plan's: it keeps the share of the budget that was
 * used. A slot that was forgotten does the same.
 *
 * <p>A thread that stops between its look and its CAS until the plan has changed twice must not
 * find the word that it loaded: it would write an old plan's time over it. A word that was
 * converted there and back at different times is another one. Plans of one pace leave the time as
 * it is; there a conversion adds a nanosecond. Left open are plans of other paces and one reading
 * of the clock; and a thread whose reading is older than two changes, for which what came back
 * since that reading comes back once more.
 *
 * <p>Unlike other limits it is not immutable: one thread's own, set anew for each decision.
 */
public final class PlannedLimit extends WordLimit {
  private PacedLimit limit;
  private PacedLimit before;
  private UserTable users;
  private int slot;
  private long hash;
  private long word;
  private boolean isOutdated;

  public PlannedLimit() {
    super(0);
  }

  /**
   * Sets it.
   *
   * @param limit under the user's plan.
   * @param before the limit under the plan before; of the same unit, and not null: where that plan
   *     has none, any that says how fast what was used comes back.
   * @param slot of the user in {@code users}.
   * @param word of the user, read before any state is.
   * @return this one, or {@code limit} if it is not paced.
   */
  public Limit under(Limit limit, Limit before, UserTable users, int slot, long hash, long word) {
    if (!(limit instanceof PacedLimit paced)) {
      return limit;
    }
    this.limit = paced;
    this.before = (PacedLimit) before;
    this.users = users;
    this.slot = slot;
    this.hash = hash;
    this.word = word;
    this.isOutdated = false;
    return this;
  }

  /**
   * Sets it for a user of whom the table has nothing: words of all plans are read as this one's.
   */
  public Limit unknown(Limit limit) {
    return under(limit, limit, null, 0, 0, 0);
  }

  /** The limit under the user's plan: immutable. */
  Limit limit() {
    return limit;
  }

  /** Whether the user's word was another one when it was looked at last: to be set anew. */
  @Override
  boolean isOutdated() {
    return isOutdated;
  }

  @Override
  boolean isStillUsed() {
    isOutdated |= users != null && !users.isStill(slot, hash, word);
    return !isOutdated;
  }

  /** The bit of a word that this limit writes in the place of {@code state}. */
  private long bit(long state) {
    return users == null
        ? state & StateWord.PLAN_BIT
        : (UserWord.generation(word) & 1) * StateWord.PLAN_BIT;
  }

  private boolean isOfPlanBefore(long state) {
    return (state & StateWord.PLAN_BIT) != bit(state);
  }

  /** The time in a word, as the present plan counts. */
  private long tatNs(long state, long nowNs) {
    final long tatNs = state & ~StateWord.PLAN_BIT;
    return isOfPlanBefore(state) ? limit.tatOf(before, tatNs, nowNs) : tatNs;
  }

  /** The state after a time has been worked out from one that was loaded. */
  private long state(long state, long tatNs, Slots slots, int slot) {
    if (tatNs == REFUSED) {
      return REFUSED;
    }
    if (state != SlotLayout.EMPTY && isOfPlanBefore(state)) {
      // One request weighed something else under that plan.
      slots.weigh(slot, EvictionWeight.NEVER);
    }
    return tatNs | bit(state);
  }

  /**
   * The state as the present plan counts, which means as much; EMPTY if the plan has changed. One
   * that owes nothing becomes the present time: there and back it would be the same one again.
   */
  long converted(long state, Slots slots, int slot, long nowNs) {
    if (!isStillUsed()) {
      return SlotLayout.EMPTY;
    }
    if (!isOfPlanBefore(state)) {
      return state;
    }
    final long tatNs = Math.max(tatNs(state, nowNs), nowNs);
    final boolean isSame = tatNs == (state & ~StateWord.PLAN_BIT);
    return state(state, isSame ? tatNs + 1 : tatNs, slots, slot);
  }

  @Override
  long charge(long state, Slots slots, int slot, long nowNs, long cost) {
    return isStillUsed()
        ? state(state, limit.charge(tatNs(state, nowNs), nowNs, cost), slots, slot)
        : REFUSED;
  }

  @Override
  boolean fits(long state, Slots slots, int slot, long nowNs, long cost) {
    return isStillUsed() && charge(state, nowNs, cost) != REFUSED;
  }

  @Override
  long chargeable(long state, Slots slots, int slot, long nowNs, long held) {
    return limit.chargeable(tatNs(state, nowNs), slots, slot, nowNs, held);
  }

  @Override
  long chargeOwed(long state, Slots slots, int slot, long nowNs, long units) {
    return isStillUsed()
        ? state(
            state, limit.chargeOwed(tatNs(state, nowNs), slots, slot, nowNs, units), slots, slot)
        : REFUSED;
  }

  @Override
  long chargeClamped(long state, Slots slots, int slot, long nowNs, long units) {
    return isStillUsed()
        ? state(
            state, limit.chargeClamped(tatNs(state, nowNs), slots, slot, nowNs, units), slots, slot)
        : REFUSED;
  }

  /** Gives nothing back if the plan has changed since: units may weigh less now. */
  @Override
  long refunded(long state, Slots slots, int slot, long units, long chargedAtNs, long nowNs) {
    return isStillUsed() ? refunded(state, units, chargedAtNs, nowNs) : state;
  }

  @Override
  long current(long state, Slots slots, int slot, long nowNs) {
    return isStillUsed() ? current(state, nowNs) : 0;
  }

  @Override
  long charge(long state, long nowNs, long cost) {
    return limit.charge(tatNs(state, nowNs), nowNs, cost);
  }

  @Override
  long refunded(long state, long units, long chargedAtNs, long nowNs) {
    final long tatNs = tatNs(state, nowNs);
    final long refunded = limit.refunded(tatNs, units, chargedAtNs, nowNs);
    return refunded == tatNs ? state : refunded | bit(state);
  }

  @Override
  long available(long state, long nowNs) {
    return limit.available(tatNs(state, nowNs), nowNs);
  }

  @Override
  long current(long state, long nowNs) {
    return limit.current(tatNs(state, nowNs), nowNs);
  }

  @Override
  long resetAtNs(long state, long nowNs) {
    return limit.resetAtNs(tatNs(state, nowNs), nowNs);
  }

  @Override
  long retryAfterNs(long state, long nowNs, long cost) {
    return limit.retryAfterNs(tatNs(state, nowNs), nowNs, cost);
  }

  @Override
  long waitNs(long state, long nowNs, long charged) {
    return limit.waitNs(tatNs(state, nowNs), nowNs, charged);
  }

  @Override
  long wholeAtNs(long nowNs) {
    return limit.wholeAtNs(nowNs);
  }

  @Override
  public long capacity() {
    return limit.capacity();
  }

  @Override
  public long costScale() {
    return limit.costScale();
  }

  @Override
  boolean takesStatesOf(Limit from) {
    return false;
  }

  /** Shared budgets are those of one plan and one parity, so their words are never converted. */
  @Override
  long fingerprint() {
    return SipHash.mix(limit.fingerprint() + (bit(SlotLayout.EMPTY) == 0 ? 1 : 2));
  }
}

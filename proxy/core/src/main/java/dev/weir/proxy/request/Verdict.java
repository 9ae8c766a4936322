package dev.weir.proxy.request;

/**
 * The decision on one question, with all that a response needs. It is set in units of the limit,
 * which may be thousandths, and tells whole ones, rounded down. Owned by an event loop and reused:
 * valid only during the call that passes it; callers copy what they need longer.
 */
public final class Verdict {
  /** The percentage of a budget from which its state is {@link State#WARNING}. */
  private static final int WARNING_PERCENT = 80;

  /** How far a budget is used. */
  public enum State {
    NORMAL,
    /** 80 % or more of it, or what the rule has as {@code warn-at}. */
    WARNING,
    /** All of it, or so much that the request did not fit. */
    THROTTLED;

    /** The state of a budget, by how much of it is left, in the limit's own units. */
    private static State of(long limit, long remaining, int warningPermille) {
      if (remaining <= 0) {
        return THROTTLED;
      }
      long used = limit - Math.min(limit, remaining);
      return used * 1000.0 >= (double) limit * warningPermille ? WARNING : NORMAL;
    }
  }

  /** The result of {@link #dueNs} if the request may pass at once. */
  public static final long AT_ONCE = 0;

  /** The result of {@link #holding} if nothing is held. */
  public static final int NOTHING_HELD = -1;

  /** The figures of one limit of the rule, beside those of the limit that decided. */
  public static final class Row {
    private boolean allowed;
    private QuotaPolicy policy;
    private long limit;
    private long remaining;
    private long held;
    private long resetAfterNs;
    private long retryAfterNs;

    /** Whether this limit admits the request. */
    public boolean allowed() {
      return allowed;
    }

    public QuotaPolicy policy() {
      return policy;
    }

    /** Units of a full budget. */
    public long limit() {
      return policy.whole(limit);
    }

    /** Units left, 0 or more. */
    public long remaining() {
      return policy.whole(remaining);
    }

    /** Units that requests hold until they end; 0 of a limit that holds nothing. */
    public long held() {
      return policy.whole(held);
    }

    /** Sets how many units requests hold, in the limit's own units; 0 by default. */
    public Row held(long units) {
      held = units;
      return this;
    }

    /** Nanoseconds until the budget is full again, 0 or more. */
    public long resetAfterNs() {
      return resetAfterNs;
    }

    /**
     * The shortest wait after which this limit admits the request; 0 if it does, or if no wait
     * helps.
     */
    public long retryAfterNs() {
      return retryAfterNs;
    }

    /** How far this budget is used. */
    public State state() {
      return State.of(limit, remaining, 10 * WARNING_PERCENT);
    }
  }

  private RefusalReason refusal;
  private String ruleId;
  private byte[] ruleIdUtf8;
  private QuotaPolicy policy;
  private long limit;
  private long remaining;
  private long resetAfterNs;
  private long retryAfterNs;
  private long heldNs;
  private long dueNs;
  private boolean isOfOthers;

  /** The rule's own answer; null if it has none. */
  private RefusalAnswer answer;

  private int holding = NOTHING_HELD;
  private ReportedCost[] reportedCosts;

  /** The state that answers tell; null if they tell none. */
  private State toldState;

  /** A row for each limit of the rule, in its order; null until rows are wanted. */
  private Row[] rows;

  private int rowCount;

  /** Sets that the request is allowed, and no limit applied. */
  public Verdict allowUnlimited() {
    return set(null, null, 0, 0, 0, 0);
  }

  /**
   * Sets that the request is allowed within a limit.
   *
   * @param limit units of a full budget.
   * @param remaining units left, 0 or more.
   * @param resetAfterNs until the budget is full again, 0 or more.
   */
  public Verdict allow(QuotaPolicy policy, long limit, long remaining, long resetAfterNs) {
    return set(null, policy, limit, remaining, resetAfterNs, 0);
  }

  /**
   * Sets that the request is refused, and that a later one may pass.
   *
   * @param policy the quota policy; null if no limit refused.
   * @param retryAfterNs the shortest wait after which the request would pass, or 0 if no wait
   *     helps.
   */
  public Verdict refuse(
      RefusalReason reason,
      QuotaPolicy policy,
      long limit,
      long remaining,
      long resetAfterNs,
      long retryAfterNs) {
    return set(reason, policy, limit, remaining, resetAfterNs, retryAfterNs);
  }

  /** Sets that the request is refused for a reason that is not a quota. */
  public Verdict refuse(RefusalReason reason) {
    return set(reason, null, 0, 0, 0, 0);
  }

  private Verdict set(
      RefusalReason refusal,
      QuotaPolicy policy,
      long limit,
      long remaining,
      long resetAfterNs,
      long retryAfterNs) {
    this.refusal = refusal;
    this.ruleId = null;
    this.policy = policy;
    this.limit = limit;
    this.remaining = remaining;
    this.resetAfterNs = resetAfterNs;
    this.retryAfterNs = retryAfterNs;
    this.heldNs = 0;
    this.dueNs = AT_ONCE;
    this.isOfOthers = false;
    this.rowCount = 0;
    this.toldState = null;
    this.answer = null;
    this.holding = NOTHING_HELD;
    this.reportedCosts = null;
    return this;
  }

  /**
   * Sets what the request holds until it ends; nothing by default.
   *
   * @param costs that are read from the exchange, not to be changed; null for none.
   */
  public Verdict holds(int holding, ReportedCost[] costs) {
    this.holding = holding;
    this.reportedCosts = costs;
    return this;
  }

  /**
   * Sets the rule's own answer to a refusal: none by default, and none if not the rule refuses.
   *
   * @param own null for none.
   */
  public Verdict answeredBy(RefusalAnswer own) {
    answer = refusal != null && refusal.isByRule() ? own : null;
    return this;
  }

  /** Sets the state that answers tell; by default they tell none. */
  public Verdict tells(State state) {
    toldState = state;
    return this;
  }

  /**
   * Sets the rule; none by default.
   *
   * @param utf8 the same text.
   */
  public Verdict ofRule(String id, byte[] utf8) {
    ruleId = id;
    ruleIdUtf8 = utf8;
    return this;
  }

  /** Sets how long the request was held in a queue; 0 by default. */
  public Verdict heldNs(long heldNs) {
    this.heldNs = heldNs;
    return this;
  }

  /** Sets when an allowed request may pass, in the loop's time; at once by default. */
  public Verdict dueNs(long atNs) {
    dueNs = atNs;
    return this;
  }

  /**
   * Sets that what decided is not the identity's own: this sidecar's share of a limit, or a budget
   * that it has in common with others.
   */
  public Verdict ofOthers() {
    isOfOthers = true;
    return this;
  }

  /** Copies another verdict, without its rows. */
  public Verdict set(Verdict from) {
    set(
        from.refusal,
        from.policy,
        from.limit,
        from.remaining,
        from.resetAfterNs,
        from.retryAfterNs);
    ruleId = from.ruleId;
    ruleIdUtf8 = from.ruleIdUtf8;
    heldNs = from.heldNs;
    dueNs = from.dueNs;
    isOfOthers = from.isOfOthers;
    toldState = from.toldState;
    answer = from.answer;
    holding = from.holding;
    reportedCosts = from.reportedCosts;
    return this;
  }

  /**
   * Sets the figures of one limit.
   *
   * @param index the limit's place in its rule.
   * @return the row.
   */
  public Row row(
      int index,
      boolean allowed,
      QuotaPolicy policy,
      long limit,
      long remaining,
      long resetAfterNs,
      long retryAfterNs) {
    Row row = make(index);
    row.allowed = allowed;
    row.policy = policy;
    row.limit = limit;
    row.remaining = remaining;
    row.resetAfterNs = resetAfterNs;
    row.retryAfterNs = retryAfterNs;
    return row.held(0);
  }

  /** Copies the rows of another verdict. */
  public void addRows(Verdict from) {
    for (int i = 0; i < from.rowCount; i++) {
      Row row = from.rows[i];
      if (row.policy != null) {
        row(
                i,
                row.allowed,
                row.policy,
                row.limit,
                row.remaining,
                row.resetAfterNs,
                row.retryAfterNs)
            .held(row.held);
      }
    }
  }

  private Row make(int index) {
    if (rows == null) {
      rows = new Row[Question.MAX_COSTS];
    }
    while (rowCount <= index) {
      if (rows[rowCount] == null) {
        rows[rowCount] = new Row();
      }
      rows[rowCount++].policy = null;
    }
    return rows[index];
  }

  /** The figures of the limit with that index in the rule; null if they are not wanted. */
  public Row row(int index) {
    return index < rowCount && rows[index].policy != null ? rows[index] : null;
  }

  /** When an allowed request may pass, in the loop's time; or {@link #AT_ONCE}. */
  public long dueNs() {
    return dueNs;
  }

  /** How long the request was held in a queue, in nanoseconds. */
  public long heldNs() {
    return heldNs;
  }

  /**
   * Whether what decided is not the identity's own, so that the identity may not have used up what
   * it is refused: see {@link #ofOthers}.
   */
  public boolean isOfOthers() {
    return isOfOthers;
  }

  /**
   * The name of what the request holds until it ends, to be told by {@link RequestEnd#holding}; or
   * {@link #NOTHING_HELD}.
   */
  public int holding() {
    return holding;
  }

  /** The costs to be read from the exchange, not to be changed; null for none. */
  public ReportedCost[] reportedCosts() {
    return reportedCosts;
  }

  public boolean allowed() {
    return refusal == null;
  }

  /** Why the request is refused; null if it is allowed. */
  public RefusalReason refusal() {
    return refusal;
  }

  /** The rule's own answer; null if it has none, and for what other reasons refuse. */
  public RefusalAnswer answer() {
    return answer;
  }

  /** The status of HTTP that a refusal is answered with. */
  public int httpStatus() {
    return answer == null ? refusal.httpStatus() : answer.httpStatus(refusal);
  }

  /** The id of the rule; null if none applied. */
  public String ruleId() {
    return ruleId;
  }

  /** The id of the rule in UTF-8; undefined if none applied. */
  public byte[] ruleIdUtf8() {
    return ruleIdUtf8;
  }

  /** The quota policy of the limit that decided; null if none did. */
  public QuotaPolicy policy() {
    return policy;
  }

  /** Units of a full budget; 0 if no limit decided. */
  public long limit() {
    return whole(limit);
  }

  private long whole(long units) {
    return policy == null ? units : policy.whole(units);
  }

  /** Units that count against the limit, from 0 to {@link #limit()}, rounded up. */
  public long current() {
    return limit() - Math.min(limit(), remaining());
  }

  /** Units left in the limit, 0 or more. */
  public long remaining() {
    return whole(remaining);
  }

  /** The part of a full budget that is left, from 0 to 1; 1 if no limit decided. */
  public double shareLeft() {
    return limit == 0 ? 1 : (double) remaining / limit;
  }

  /** Nanoseconds until the budget is full again, 0 or more. */
  public long resetAfterNs() {
    return resetAfterNs;
  }

  /** The shortest wait in nanoseconds after which the request would pass; 0 if no wait helps. */
  public long retryAfterNs() {
    return retryAfterNs;
  }

  /** The state that answers tell, under a rule with {@code warn-at}; null if they tell none. */
  public State toldState() {
    return toldState;
  }

  /** The state of the budget that decided; NORMAL if none did. */
  public State state() {
    return toldState == null ? state(10 * WARNING_PERCENT) : toldState;
  }

  /**
   * The state of the budget that decided, if WARNING begins at a part of the limit.
   *
   * @param warningPermille that part.
   */
  public State state(int warningPermille) {
    if (policy == null) {
      return State.NORMAL;
    }
    return refusal == RefusalReason.OVER_LIMIT || refusal == RefusalReason.NEVER_SATISFIABLE
        ? State.THROTTLED
        : State.of(limit, remaining, warningPermille);
  }
}

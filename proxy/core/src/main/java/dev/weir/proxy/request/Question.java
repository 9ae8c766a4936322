package dev.weir.proxy.request;

import org.agrona.DirectBuffer;

/**
 * A question to {@link Admission}: an operation, what finds the rule, whose budgets, and how much.
 * A proxied request is a view, from which all follows; other callers name the rule and give
 * identities, or give identities beside a view of the endpoint that they ask for.
 *
 * <p>Filled anew for each question and owned by the caller, whose bytes it refers to: valid until
 * {@link Admission#ask} returns. What outlives that has been copied.
 */
public final class Question {
  /** The most identities that can be given. */
  public static final int MAX_IDENTITIES = 8;

  /** The most limits of one rule whose costs can be given apart. */
  public static final int MAX_COSTS = 8;

  /** The highest cost that can be given: what many that come together take is still exact. */
  public static final long MAX_COST = 1L << 40;

  /** The cost that the rule says. */
  public static final long COST_OF_RULE = 0;

  /** The deadline that the store's settings say. */
  public static final long NO_DEADLINE = Long.MAX_VALUE;

  private final String[] identityNames = new String[MAX_IDENTITIES];
  private final DirectBuffer[] identityBytes = new DirectBuffer[MAX_IDENTITIES];
  private final int[] identityOffsets = new int[MAX_IDENTITIES];
  private final int[] identityLengths = new int[MAX_IDENTITIES];
  private final long[] costs = new long[MAX_COSTS];
  private Operation operation = Operation.CHECK;
  private Purpose purpose = Purpose.TRAFFIC;
  private RequestView request;
  private String ruleId;
  private int identityCount;
  private long cost;
  private int costCount;
  private long deadlineNs = NO_DEADLINE;
  private boolean wantsRows;
  private boolean isFollowed;
  private boolean isTimedTogether;

  /** The part that admission has found out already; null if none. */
  private Object expectation;

  private DirectBuffer onceBytes;
  private int onceOffset;
  private int onceLength;

  /** Starts the question whether a request may pass that goes on to the service then. */
  public Question traffic(RequestView view) {
    return start(Operation.CHECK, Purpose.TRAFFIC).request(view);
  }

  /** Starts a question that says nothing yet of what it is about. */
  public Question start(Operation what, Purpose forWhom) {
    operation = what;
    purpose = forWhom;
    request = null;
    ruleId = null;
    identityCount = 0;
    cost = COST_OF_RULE;
    costCount = 0;
    deadlineNs = NO_DEADLINE;
    wantsRows = false;
    isFollowed = false;
    isTimedTogether = false;
    expectation = null;
    onceBytes = null;
    onceLength = 0;
    return this;
  }

  /**
   * Starts a question that is another one but for the value of the first identity, and that nothing
   * has been found out of; nothing is said yet of its deadline and of what follows.
   *
   * @param other with an identity or more.
   */
  public Question startLike(Question other, DirectBuffer bytes, int offset, int length) {
    start(other.operation, other.purpose);
    request = other.request;
    ruleId = other.ruleId;
    cost = other.cost;
    wantsRows = other.wantsRows;
    costCount = other.costCount;
    for (int i = 0; i < costCount; i++) {
      costs[i] = other.costs[i];
    }
    onceBytes = other.onceBytes;
    onceOffset = other.onceOffset;
    onceLength = other.onceLength;
    identity(other.identityNames[0], bytes, offset, length);
    for (int i = 1; i < other.identityCount; i++) {
      identity(
          other.identityNames[i],
          other.identityBytes[i],
          other.identityOffsets[i],
          other.identityLengths[i]);
    }
    return this;
  }

  /** The request, or the endpoint: by it the rule is found, and what identities are not given. */
  public Question request(RequestView view) {
    request = view;
    return this;
  }

  /** The rule, in the place of the one that the request would find. */
  public Question rule(String id) {
    ruleId = id;
    return this;
  }

  /**
   * Gives an identity, in the place of what the request says of it.
   *
   * @param name of the source as keys of rules have it, such as {@code ip}, {@code api-key} or
   *     {@code header:x-user-id}.
   * @param bytes the value as a request would have it; of {@code ip} an address as text.
   * @throws IllegalArgumentException if there are {@link #MAX_IDENTITIES} already.
   */
  public Question identity(String name, DirectBuffer bytes, int offset, int length) {
    if (identityCount == MAX_IDENTITIES) {
      throw new IllegalArgumentException("more than " + MAX_IDENTITIES + " identities");
    }
    identityNames[identityCount] = name;
    identityBytes[identityCount] = bytes;
    identityOffsets[identityCount] = offset;
    identityLengths[identityCount++] = length;
    return this;
  }

  /**
   * @param units that are taken of each budget, 1 to {@link #MAX_COST}; {@link #COST_OF_RULE}
   *     unless it is said.
   * @throws IllegalArgumentException if that is none.
   */
  public Question cost(long units) {
    cost = checked(units);
    costCount = 0;
    return this;
  }

  /**
   * Gives the cost of one limit of the rule; those of limits before it that are not given are what
   * {@link #cost(long)} says.
   *
   * @param limit its place in the rule, 0 to {@link #MAX_COSTS} - 1.
   * @param units 1 to {@link #MAX_COST}, or {@link #COST_OF_RULE}.
   * @throws IllegalArgumentException if that is none, or the place is.
   */
  public Question cost(int limit, long units) {
    if (limit < 0 || limit >= MAX_COSTS) {
      throw new IllegalArgumentException("limit: " + limit + " (expected: 0 to 7)");
    }
    checked(units);
    while (costCount <= limit) {
      costs[costCount++] = cost;
    }
    costs[limit] = units;
    return this;
  }

  private static long checked(long units) {
    if (units < COST_OF_RULE || units > MAX_COST) {
      throw new IllegalArgumentException(
          "cost: " + units + " (expected: 1 to " + MAX_COST + ", or 0 for the rule's)");
    }
    return units;
  }

  /**
   * @param atNs when the verdict is worth nothing any more, in the loop's time; it covers all that
   *     the question waits for.
   */
  public Question deadlineNs(long atNs) {
    deadlineNs = atNs;
    return this;
  }

  /**
   * Names the question among those of the same identity and rule, so that it can be asked again: a
   * check that was granted is not charged twice, and one of another cost is refused as {@link
   * RefusalReason#IDEMPOTENCY_KEY_REUSED}. Only a rule whose limits have one key, and are all the
   * store's, is decided so; under any other the question is refused as {@link
   * RefusalReason#NOT_DECIDED_ONCE}.
   *
   * @param length 1 or more.
   */
  public Question once(DirectBuffer bytes, int offset, int length) {
    onceBytes = bytes;
    onceOffset = offset;
    onceLength = length;
    return this;
  }

  /** Says that others follow in this turn, and {@link Admission#sendGathered} behind the last. */
  public Question followed() {
    isFollowed = true;
    return this;
  }

  /**
   * Says that others follow in this turn, and {@link Admission#endTogether} behind the last: how
   * long they took is told of all at once.
   */
  public Question timedTogether() {
    isTimedTogether = true;
    return this;
  }

  /** Keeps what admission has found out of it already; admission's own. */
  public void expectation(Object found) {
    expectation = found;
  }

  /** The part that admission has found out already; null if none. */
  public Object expectation() {
    return expectation;
  }

  /** Asks for the figures of every limit beside the verdict; see {@link Verdict#row}. */
  public Question wantsRows() {
    wantsRows = true;
    return this;
  }

  public Operation operation() {
    return operation;
  }

  public Purpose purpose() {
    return purpose;
  }

  /** The request or endpoint; null if there is none. */
  public RequestView request() {
    return request;
  }

  /** The rule's id; null if the request finds it. */
  public String ruleId() {
    return ruleId;
  }

  /** How many identities are given. */
  public int identityCount() {
    return identityCount;
  }

  public String identityName(int index) {
    return identityNames[index];
  }

  public DirectBuffer identityBytes(int index) {
    return identityBytes[index];
  }

  public int identityOffset(int index) {
    return identityOffsets[index];
  }

  public int identityLength(int index) {
    return identityLengths[index];
  }

  /** Whether any cost is given, in the place of what the rule says. */
  public boolean isCostGiven() {
    return cost != COST_OF_RULE || costCount > 0;
  }

  /**
   * Units to be taken of one limit.
   *
   * @param limit its place in the rule.
   * @param ofRule what the rule says.
   */
  public long costOf(int limit, long ofRule) {
    long given = limit < costCount ? costs[limit] : cost;
    return given == COST_OF_RULE ? ofRule : given;
  }

  /** When the verdict is worth nothing any more; or {@link #NO_DEADLINE}. */
  public long deadlineNs() {
    return deadlineNs;
  }

  /** Whether the question is not to be charged twice. */
  public boolean isOnce() {
    return onceLength > 0;
  }

  /** Has its name, if it has one. */
  public DirectBuffer onceBytes() {
    return onceBytes;
  }

  public int onceOffset() {
    return onceOffset;
  }

  public int onceLength() {
    return onceLength;
  }

  /** Whether others follow, and a store need not be asked before them. */
  public boolean isFollowed() {
    return isFollowed;
  }

  /** Whether how long it took is told together with others. */
  public boolean isTimedTogether() {
    return isTimedTogether;
  }

  /** Whether the figures of every limit are asked for. */
  public boolean areRowsWanted() {
    return wantsRows;
  }
}

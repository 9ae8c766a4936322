package dev.weir.proxy.request;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A question to {@link Admission}: an operation, what finds the rule, identities, and costs. For a
 * proxied request all of it follows from its view. Other callers name the rule and give identities,
 * or give identities with a view of an endpoint.
 *
 * <p>Filled anew for each question and owned by the caller, whose bytes it refers to: valid until
 * {@link Admission#ask} returns.
 */
public final class Question {
  /** The most identities that can be given. */
  public static final int MAX_IDENTITIES = 8;

  /** The most limits of one rule that can have costs of their own. */
  public static final int MAX_COSTS = 8;

  /** The highest cost: the sum of many that come together is still exact. */
  public static final long MAX_COST = 1L << 40;

  /** Stands for the rule's own cost. */
  public static final long COST_OF_RULE = 0;

  /** Stands for the deadline in the store's settings. */
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
  private boolean isMessage;
  private boolean isOfGivenKeys;
  private String limitName;

  /** The result that admission has found ahead; null if there is none. */
  private Object prefetched;

  private DirectBuffer onceBytes;
  private int onceOffset;
  private int onceLength;

  /** Starts the question whether a request may pass to the service. */
  public Question traffic(RequestView view) {
    return start(Operation.CHECK, Purpose.TRAFFIC).request(view);
  }

  /** Starts the question whether a message of such a request may follow those before it. */
  public Question message(RequestView view) {
    traffic(view);
    isMessage = true;
    return this;
  }

  /** Starts an empty question. */
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
    isMessage = false;
    isOfGivenKeys = false;
    limitName = null;
    prefetched = null;
    onceBytes = null;
    onceLength = 0;
    return this;
  }

  /**
   * Starts a copy of another question with another value of the first identity, and without
   * deadline, found results and successors.
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

  /**
   * Sets the request, or the endpoint: it finds the rule, and the identities that are not given.
   */
  public Question request(RequestView view) {
    request = view;
    return this;
  }

  /** Sets the rule, instead of the one that the request would find. */
  public Question rule(String id) {
    ruleId = id;
    return this;
  }

  /**
   * Adds an identity, instead of what the request has.
   *
   * @param name of the source as in keys of rules, such as {@code ip}, {@code api-key} or {@code
   *     header:x-user-id}.
   * @param bytes the value as a request would have it; for {@code ip} an address as text.
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
   * Sets the cost.
   *
   * @param units to take of each budget, 1 to {@link #MAX_COST}; {@link #COST_OF_RULE} by default.
   * @throws IllegalArgumentException if out of range.
   */
  public Question cost(long units) {
    cost = checked(units);
    costCount = 0;
    return this;
  }

  /**
   * Sets the cost of one limit of the rule; limits before it without a cost of their own have that
   * of {@link #cost(long)}.
   *
   * @param limit its index in the rule, 0 to {@link #MAX_COSTS} - 1.
   * @param units 1 to {@link #MAX_COST}, or {@link #COST_OF_RULE}.
   * @throws IllegalArgumentException if out of range.
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

  /**
   * Becomes a copy of another question that outlives the other's bytes; it is followed by none, and
   * nothing is found ahead for it.
   *
   * @param view takes a copy of the request, if there is one; with room for its fields.
   * @param head takes the bytes of that copy, and {@code given} those of identities and of an
   *     idempotency key; both grow as needed.
   */
  public Question copy(
      Question other, RequestView view, MutableDirectBuffer head, MutableDirectBuffer given) {
    start(other.operation, other.purpose);
    if (other.request != null) {
      view.copy(other.request, head);
      request = view;
    }
    ruleId = other.ruleId;
    cost = other.cost;
    costCount = other.costCount;
    for (int i = 0; i < costCount; i++) {
      costs[i] = other.costs[i];
    }
    deadlineNs = other.deadlineNs;
    wantsRows = other.wantsRows;
    isMessage = other.isMessage;
    isOfGivenKeys = other.isOfGivenKeys;
    limitName = other.limitName;
    int at = 0;
    for (int i = 0; i < other.identityCount; i++) {
      int length = other.identityLengths[i];
      given.putBytes(at, other.identityBytes[i], other.identityOffsets[i], length);
      identity(other.identityNames[i], given, at, length);
      at += length;
    }
    if (other.isOnce()) {
      given.putBytes(at, other.onceBytes, other.onceOffset, other.onceLength);
      once(given, at, other.onceLength);
    }
    return this;
  }

  /** How many bytes a copy takes. */
  public int copiedBytes() {
    int sum = onceLength + (request == null ? 0 : request.lineBytes() + request.fieldBytes(0));
    for (int i = 0; i < identityCount; i++) {
      sum += identityLengths[i];
    }
    return sum;
  }

  private static long checked(long units) {
    if (units < COST_OF_RULE || units > MAX_COST) {
      throw new IllegalArgumentException(
          "cost: " + units + " (expected: 1 to " + MAX_COST + ", or 0 for the rule's)");
    }
    return units;
  }

  /**
   * Sets the deadline.
   *
   * @param atNs when the verdict is no longer of use, in the loop's time; it covers all waits of
   *     the question.
   */
  public Question deadlineNs(long atNs) {
    deadlineNs = atNs;
    return this;
  }

  /**
   * Sets an idempotency key, which belongs to the identity and the rule: a check that was granted
   * is not charged twice, and one with another cost is refused as {@link
   * RefusalReason#IDEMPOTENCY_KEY_REUSED}. Only the store can decide that, for rules of mode exact
   * whose limits have one key; under other rules the question is refused as {@link
   * RefusalReason#NOT_DECIDED_ONCE}.
   *
   * @param length 1 or more; 0 for no key.
   */
  public Question once(DirectBuffer bytes, int offset, int length) {
    onceBytes = bytes;
    onceOffset = offset;
    onceLength = length;
    return this;
  }

  /** Says that others follow in this turn, and {@link Admission#sendGathered} after the last. */
  public Question followed() {
    isFollowed = true;
    return this;
  }

  /**
   * Says that others follow in this turn, and {@link Admission#endTogether} after the last: their
   * latency is measured together.
   */
  public Question timedTogether() {
    isTimedTogether = true;
    return this;
  }

  /** Keeps a result that admission has found ahead; for admission only. */
  public void prefetched(Object found) {
    prefetched = found;
  }

  /** The result that admission has found ahead; null if there is none. */
  public Object prefetched() {
    return prefetched;
  }

  /**
   * Leaves out the limits whose keys are not given whole, and those that the rule shares with all
   * others: what is left are the rule's own limits of one identity.
   */
  public Question ofGivenKeys() {
    isOfGivenKeys = true;
    return this;
  }

  /**
   * Leaves out all other limits, of a question {@linkplain #ofGivenKeys of given keys}.
   *
   * @param name in answers; null leaves out none.
   */
  public Question ofLimit(String name) {
    limitName = name;
    return this;
  }

  /** Asks for the figures of every limit, besides the verdict: {@link Verdict#row}. */
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

  /** The number of given identities. */
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

  /** Whether any cost is given, instead of the rule's. */
  public boolean isCostGiven() {
    return cost != COST_OF_RULE || costCount > 0;
  }

  /**
   * Units to take of one limit.
   *
   * @param limit its index in the rule.
   * @param ofRule the rule's own cost.
   */
  public long costOf(int limit, long ofRule) {
    long given = limit < costCount ? costs[limit] : cost;
    return given == COST_OF_RULE ? ofRule : given;
  }

  /** The deadline; or {@link #NO_DEADLINE}. */
  public long deadlineNs() {
    return deadlineNs;
  }

  /** Whether the question has an idempotency key. */
  public boolean isOnce() {
    return onceLength > 0;
  }

  /** The bytes with the idempotency key, if there is one. */
  public DirectBuffer onceBytes() {
    return onceBytes;
  }

  public int onceOffset() {
    return onceOffset;
  }

  public int onceLength() {
    return onceLength;
  }

  /** Whether it is about a message that follows the first of a request, which was asked about. */
  public boolean isMessage() {
    return isMessage;
  }

  /** Whether other questions follow at once, so that a batch to the store can wait for them. */
  public boolean isFollowed() {
    return isFollowed;
  }

  /** Whether its latency is measured together with others. */
  public boolean isTimedTogether() {
    return isTimedTogether;
  }

  /** Whether limits are left out whose keys are not given whole. */
  public boolean isOfGivenKeys() {
    return isOfGivenKeys;
  }

  /** The name of the only limit that is asked about; null for all. */
  public String limitName() {
    return limitName;
  }

  /** Whether the figures of every limit are wanted. */
  public boolean areRowsWanted() {
    return wantsRows;
  }
}

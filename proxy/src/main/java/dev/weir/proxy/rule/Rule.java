package dev.weir.proxy.rule;

import dev.weir.algorithms.Limit;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RequestView;
import dev.weir.scripts.ScriptLimit;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/** A compiled rule. Immutable; any thread. */
public final class Rule {
  private static final int MAX_PASTS = 3;

  /**
   * The budget that a rule's limit replaced. A key that has no state under {@link Rule#seed()} yet
   * takes over what it consumed under this one; its hash there is the identity's hash XOR {@code
   * seed}.
   *
   * @param earlier the one before, in case reloads follow each other closely; null if there is none
   *     or it is too long ago.
   */
  public record Past(long seed, Limit limit, Past earlier) {
    private Past cut(int depth) {
      return new Past(seed, limit, earlier == null || depth == 1 ? null : earlier.cut(depth - 1));
    }
  }

  private final RuleSpec spec;
  private final int index;
  private final long version;
  private final long seed;
  private final Limit limit;
  private final long cost;
  private final QuotaPolicy policy;
  private final Past past;
  private final byte[][] methods;
  private final long unixEpochNs;
  private final byte[] dimension;
  private final byte[] storeName;
  private final ScriptLimit storeLimit;

  /**
   * @param index the rule's place in the file, from 0.
   * @param version the version of the set it is compiled for.
   * @param previous the rule of that id in the set before; null if there was none.
   * @param unixEpochNs the Unix epoch on the clock of the checks.
   */
  Rule(RuleSpec spec, int index, long version, Rule previous, long unixEpochNs) {
    this.spec = spec;
    this.index = index;
    this.cost = spec.costOrDefault();
    this.methods = new byte[spec.methods().size()][];
    for (int i = 0; i < methods.length; i++) {
      methods[i] = spec.methods().get(i).getBytes(StandardCharsets.US_ASCII);
    }
    boolean limits = spec.action() == RuleAction.LIMIT;
    boolean continues = limits && previous != null && previous.limit != null && sameKey(previous);
    boolean unchanged =
        continues && spec.limit().resolved().equals(previous.spec.limit().resolved());
    // Counts of the same windows are as good under another number.
    boolean sameBudgets =
        unchanged || continues && spec.limit().keepsCountsOf(previous.spec.limit());
    this.limit = unchanged ? previous.limit : limits ? spec.limit().compile(unixEpochNs) : null;
    this.version = sameBudgets ? previous.version : version;
    this.seed = seed(spec, this.version);
    if (sameBudgets) {
      this.past = pastUnder(spec, previous.past, previous);
    } else {
      this.past = continues ? pastOf(previous) : null;
    }
    this.policy = policy(spec);
    this.unixEpochNs = unixEpochNs;
    this.dimension = spec.key().dimension();
    this.storeName = (spec.id() + (spec.dryRun() ? "~" : "")).getBytes(StandardCharsets.US_ASCII);
    // The same object while the limit stays: checks of one budget are told apart by it.
    boolean sameForStore = unchanged && previous.storeLimit != null;
    this.storeLimit =
        !spec.asksStore()
            ? null
            : sameForStore ? previous.storeLimit : spec.limit().compileForStore();
  }

  private Past pastOf(Rule previous) {
    // Under this rule's dry-run flag: a rehearsal carries over rehearsed consumption only.
    if (previous.spec.dryRun() != spec.dryRun()) {
      return new Past(seed(spec, previous.version), previous.limit, null);
    }
    return new Past(previous.seed, previous.limit, previous.past).cut(MAX_PASTS);
  }

  private static Past pastUnder(RuleSpec spec, Past past, Rule previous) {
    return previous.spec.dryRun() == spec.dryRun() ? past : null;
  }

  private boolean sameKey(Rule other) {
    return spec.key().equals(other.spec.key()) && spec.onMissingKey() == other.spec.onMissingKey();
  }

  private static QuotaPolicy policy(RuleSpec spec) {
    Rate rate = spec.limit().rate();
    if (rate == null) {
      return null;
    }
    long count = rate.count();
    long windowNs = rate.windowNs();
    long windowSeconds = (windowNs + 999_999_999) / 1_000_000_000;
    // The field has no fractions of a second: 100 per 500 ms is announced as 200 per second.
    double scale = windowSeconds * 1e9 / windowNs;
    long quota = scale == 1 ? count : (long) Math.min(count * scale, Rate.MAX_COUNT);
    return new QuotaPolicy(spec.id(), quota, windowSeconds);
  }

  /** Differs whenever the id, the limit's version or the dry-run flag does. */
  private static long seed(RuleSpec spec, long version) {
    long hash = 0xCBF2_9CE4_8422_2325L; // FNV-1a
    for (int i = 0; i < spec.id().length(); i++) {
      hash = (hash ^ spec.id().charAt(i)) * 0x0000_0100_0000_01B3L;
    }
    return mix(mix(hash) + version * 2 + (spec.dryRun() ? 1 : 0));
  }

  private static long mix(long value) {
    long mixed = (value ^ value >>> 30) * 0xBF58_476D_1CE4_E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D0_49BB_1331_11EBL;
    return mixed ^ mixed >>> 31;
  }

  public String id() {
    return spec.id();
  }

  /** The rule's place in its set, 0 to the set's size - 1. */
  public int index() {
    return index;
  }

  public RuleAction action() {
    return spec.action();
  }

  /** Whether the rule decides and counts apart, and every request passes. */
  public boolean dryRun() {
    return spec.dryRun();
  }

  /** What is charged; null unless the action is {@link RuleAction#LIMIT}. */
  public Limit limit() {
    return limit;
  }

  /** Whether the store decides on the rule's budgets. */
  public boolean asksStore() {
    return storeLimit != null;
  }

  /** What the store charges; null unless it decides. */
  public ScriptLimit storeLimit() {
    return storeLimit;
  }

  /** What kind of identity the rule counts, as names in the store have it; not to be changed. */
  public byte[] dimension() {
    return dimension;
  }

  /** What sets the rule's budgets apart in the store; not to be changed. */
  public byte[] storeName() {
    return storeName;
  }

  /** Whether requests for one budget may be granted together: not if each has its own slot. */
  public boolean coalesces() {
    return spec.limit().overflow() != Overflow.QUEUE;
  }

  public OnStoreFailure onStoreFailure() {
    return spec.onStoreFailureOrDefault();
  }

  /**
   * What this node may let pass while the store gives no decision. Made anew on each call.
   *
   * @param nodes how many share the limit, 1 or more.
   */
  public Limit share(int nodes) {
    return spec.limit().share(nodes, cost, unixEpochNs);
  }

  /** Units that one request takes, 1 or more. */
  public long cost() {
    return cost;
  }

  /** What clients are told of the limit; null unless the action is {@link RuleAction#LIMIT}. */
  public QuotaPolicy policy() {
    return policy;
  }

  public KeySpec key() {
    return spec.key();
  }

  public OnMissingKey onMissingKey() {
    return spec.onMissingKey();
  }

  /**
   * Sets this rule's budgets apart from all others: a budget's key is the identity's hash XOR this.
   * The same after a reload that left the limit and the key as they were.
   */
  public long seed() {
    return seed;
  }

  /** The budget that this limit replaced; null if it replaced none. */
  public Past past() {
    return past;
  }

  /** What the rule was compiled from. */
  public RuleSpec spec() {
    return spec;
  }

  boolean matchesMethod(RequestView request) {
    if (methods.length == 0) {
      return true;
    }
    DirectBuffer bytes = request.bytes();
    int offset = request.methodOffset();
    int length = request.methodLength();
    for (byte[] method : methods) {
      if (method.length == length && equal(method, bytes, offset)) {
        return true;
      }
    }
    return false;
  }

  private static boolean equal(byte[] method, DirectBuffer bytes, int offset) {
    for (int i = 0; i < method.length; i++) {
      if (bytes.getByte(offset + i) != method[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return spec.id();
  }
}

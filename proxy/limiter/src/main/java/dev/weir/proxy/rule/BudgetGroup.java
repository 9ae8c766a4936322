package dev.weir.proxy.rule;

import dev.weir.algorithms.SipHash;
import dev.weir.algorithms.lease.LeaseTerms;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.scripts.ScriptLimit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The budgets of a rule that have one key, and so one identity, and the same gate. Immutable; any
 * thread.
 */
public final class BudgetGroup {
  private static final long NS_PER_US = 1_000;

  /** Tells this use of the hash from others with a fixed key. */
  private static final SipHash COUNT_SEEDS = new SipHash(0, 5);

  /** Odd, so that the order of the limits matters. */
  private static final long LEASE_FACTOR = 0x9E37_79B9_7F4A_7C15L;

  private final KeySpec key;
  private final Mode mode;
  private final OnStoreFailure onStoreFailure;
  private final Budget[] budgets;
  private final byte[] ruleId;
  private final OnMissingKey onMissingKey;
  private final byte[] dimension;
  private final ScriptLimit[] storeLimits;
  private final LeaseTerms leaseTerms;
  private final LeaseTerms handTerms;
  private final long leaseSeed;
  private final long countSeed;
  private final boolean holds;

  /**
   * @param budgets 1 or more, all of one key, mode and failure policy.
   * @param known groups whose arrays of limits stay where they have the same.
   */
  private BudgetGroup(List<Budget> budgets, List<BudgetGroup> known) {
    BudgetSpec first = budgets.get(0).spec();
    this.key = first.key();
    this.mode = first.mode();
    this.onStoreFailure = first.onStoreFailureOrDefault();
    this.budgets = budgets.toArray(Budget[]::new);
    this.ruleId = budgets.get(0).ruleId().getBytes(StandardCharsets.UTF_8);
    this.dimension = key.dimension();
    this.onMissingKey = budgets.get(0).onMissingKey();
    this.storeLimits = storeLimits(budgets, known);
    this.countSeed = countSeed(ruleId, dimension);
    this.holds = budgets.stream().anyMatch(Budget::holds);
    LeaseTerms terms = mode == Mode.LEASED ? leaseTerms(budgets) : null;
    this.leaseTerms = holds ? null : terms;
    this.handTerms = holds ? terms : null;
    this.leaseSeed = leaseSeed(budgets);
  }

  /**
   * Budgets in groups: first those that this node decides on, then the store's, each in their
   * order.
   *
   * @param known groups whose arrays of limits stay where they have the same.
   */
  static BudgetGroup[] of(List<Budget> budgets, List<BudgetGroup> known) {
    Map<Object, List<Budget>> alike = new LinkedHashMap<>();
    for (Budget budget : budgets) {
      BudgetSpec spec = budget.spec();
      // Leased units pay for requests of one cost; those that requests hold, for any.
      long leasedCost = spec.mode() == Mode.LEASED && !spec.holds() ? spec.costUnits() : 0;
      Object same =
          List.of(
              budget.ruleId(),
              spec.key(),
              spec.mode(),
              spec.onStoreFailureOrDefault(),
              spec.leaseLifeNs(),
              leasedCost);
      alike.computeIfAbsent(same, key -> new ArrayList<>()).add(budget);
    }
    return alike.values().stream()
        .map(group -> new BudgetGroup(group, known))
        .sorted((a, b) -> Boolean.compare(a.mode().needsStore(), b.mode().needsStore()))
        .toArray(BudgetGroup[]::new);
  }

  private static LeaseTerms leaseTerms(List<Budget> budgets) {
    long lifeUs = Long.MAX_VALUE;
    boolean isSpaced = false;
    for (Budget budget : budgets) {
      lifeUs = Math.min(lifeUs, budget.spec().leaseLifeUs());
      isSpaced |= budget.spec().limit().isSpaced();
    }
    return new LeaseTerms(lifeUs * NS_PER_US, isSpaced);
  }

  private static long leaseSeed(List<Budget> budgets) {
    long seed = 0;
    for (Budget budget : budgets) {
      seed = seed * LEASE_FACTOR + budget.storeSeed();
    }
    return seed;
  }

  private static long countSeed(byte[] ruleId, byte[] dimension) {
    byte[] name = Arrays.copyOf(ruleId, ruleId.length + 1 + dimension.length);
    System.arraycopy(dimension, 0, name, ruleId.length + 1, dimension.length);
    return COUNT_SEEDS.hash(new UnsafeBuffer(name), 0, name.length);
  }

  private static ScriptLimit[] storeLimits(List<Budget> budgets, List<BudgetGroup> known) {
    if (budgets.get(0).storeLimit() == null) {
      return null;
    }
    ScriptLimit[] limits = budgets.stream().map(Budget::storeLimit).toArray(ScriptLimit[]::new);
    for (BudgetGroup before : known) {
      if (isSame(limits, before.storeLimits)) {
        return before.storeLimits;
      }
    }
    return limits;
  }

  static boolean isSame(ScriptLimit[] limits, ScriptLimit[] before) {
    boolean isSame = before != null && before.length == limits.length;
    for (int i = 0; isSame && i < limits.length; i++) {
      isSame = before[i] == limits[i];
    }
    return isSame;
  }

  /** The bounds of leases of these budgets; null unless the mode is leased and none holds. */
  public LeaseTerms leaseTerms() {
    return leaseTerms;
  }

  /**
   * The bounds of what an event loop has in hand of these budgets, for requests that hold units of
   * them; null unless the mode is leased and they hold.
   */
  public LeaseTerms handTerms() {
    return handTerms;
  }

  /**
   * Separates the leases of these budgets from those of others: a key in the lease table is the
   * identity's hash XOR this. Another one if one of the limits is.
   */
  public long leaseSeed() {
    return leaseSeed;
  }

  /**
   * Tells the identities of this rule and key from those of others, where requests are counted by
   * both: the same one as long as the rule's id and the kind of identity stay.
   */
  public long countSeed() {
    return countSeed;
  }

  /** Whether requests hold units of any of these budgets until they end. */
  public boolean holds() {
    return holds;
  }

  /** Whether the store still decides by these limits. */
  public boolean isCurrent() {
    boolean isCurrent = true;
    for (Budget budget : budgets) {
      isCurrent &= budget.isCurrentAtStore();
    }
    return isCurrent;
  }

  /** Whether charges of the store under these limits can be refunded under them. */
  public boolean takesBack() {
    boolean takesBack = true;
    for (Budget budget : budgets) {
      takesBack &= budget.takesBack();
    }
    return takesBack;
  }

  public KeySpec key() {
    return key;
  }

  /** The budget of a request that lacks the key. */
  public OnMissingKey onMissingKey() {
    return onMissingKey;
  }

  /** The mode of these budgets. */
  public Mode mode() {
    return mode;
  }

  /** The failure policy of these budgets. */
  public OnStoreFailure onStoreFailure() {
    return onStoreFailure;
  }

  public int size() {
    return budgets.length;
  }

  /** One of the budgets, in the order of the file. */
  public Budget budget(int index) {
    return budgets[index];
  }

  /** The id of the rule of these budgets, in UTF-8; not to be changed. */
  public byte[] ruleId() {
    return ruleId;
  }

  /** The kind of identity, as it stands in names in the store; not to be changed. */
  public byte[] dimension() {
    return dimension;
  }

  /**
   * The limits that the store charges, by budget; null unless the store decides. The same array as
   * long as all of these limits stay, so that checks of the same budgets are recognised by it; not
   * to be changed.
   */
  public ScriptLimit[] storeLimits() {
    return storeLimits;
  }
}

package dev.weir.proxy.envoy.file;

import dev.weir.algorithms.Limit;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.scripts.ScriptLimit;

/**
 * The budgets of a limit as they are charged. Where every hit counts, refused or not, a budget is a
 * mere count: all limits of one unit are charged as one of the highest number, and the count that
 * comes back is compared with the limit's own. So a number that changes, or that a request brings
 * along, finds what was counted. Immutable; any thread.
 */
public final class Budgets {
  /** What the state word of a second's window has room for; those of longer ones have more. */
  private static final long MOST_PER_SECOND = (1L << 30) - 1;

  /** What longer windows have room for on one node; more than a limit can have. */
  private static final long MOST = (1L << 36) - 1;

  /** The highest count of the store. */
  public static final long MOST_OF_STORE = 1L << 52;

  /** The most hits that count at once: of all calls of a batch together still exact. */
  public static final long MOST_HITS = 1L << 40;

  private static final long SEED = 0x9E37_79B9_7F4A_7C15L;

  private final boolean countsAll;
  private final Limit limit;
  private final ScriptLimit storeLimit;
  private final long seed;

  /** Exactly one of the limits is not null: that of whoever decides. */
  private Budgets(boolean countsAll, Limit limit, ScriptLimit storeLimit, long seed) {
    this.countsAll = countsAll;
    this.limit = limit;
    this.storeLimit = storeLimit;
    this.seed = seed;
  }

  /** The budgets of a limit that has a unit. */
  public static Budgets of(DescriptorLimit from, LimitCompiler compiler) {
    LimitOptions options = from.options();
    boolean isExact = compiler.mode(options) == Mode.EXACT;
    if (options.countsAll() || from.requestsPerUnit() == 0) {
      return ofCounts(from.unit(), isExact, compiler);
    }
    LimitSpec spec = LimitCompiler.spec(from.unit(), from.requestsPerUnit(), options);
    long seed = seed(from.unit());
    if (options.algorithm() != null) {
      // Counts of the same windows are as good under another number; other states are not.
      seed ^= SEED * (spec.toString().hashCode() | 1);
    }
    return new Budgets(
        false,
        isExact ? null : spec.compile(compiler.unixEpochNs()),
        isExact ? spec.compileForStore() : null,
        seed);
  }

  /** The counts of a unit's windows. */
  public static Budgets ofCounts(LimitUnit unit, boolean isExact, LimitCompiler compiler) {
    long most = unit == LimitUnit.SECOND ? MOST_PER_SECOND : MOST;
    return new Budgets(
        true,
        isExact ? null : Limit.fixedWindow(most, unit.windowNs(), compiler.unixEpochNs()),
        isExact ? unit.storeCounts() : null,
        seed(unit));
  }

  private static long seed(LimitUnit unit) {
    return SEED * (unit.number() + 1);
  }

  /** Whether what is refused counts too. */
  public boolean countsAll() {
    return countsAll;
  }

  /** Whether the store decides. */
  public boolean isExact() {
    return storeLimit != null;
  }

  /** What this node charges; null unless it decides. */
  public Limit limit() {
    return limit;
  }

  /** What the store charges; null unless it decides. */
  public ScriptLimit storeLimit() {
    return storeLimit;
  }

  /** Sets these budgets apart from others of one descriptor: a key is its hash XOR this. */
  public long seed() {
    return seed;
  }
}

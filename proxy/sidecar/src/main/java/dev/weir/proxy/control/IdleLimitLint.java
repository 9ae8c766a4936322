package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.Share;
import java.util.function.BiConsumer;

/**
 * Warns of a limit that can never be the one that refuses, as another of the same rule has always
 * refused before. Only what surely holds is said: by the most that the other lets pass in any time
 * t, its burst + its rate x t, where a fixed or approximate window may let twice its number pass
 * around its edge.
 */
final class IdleLimitLint {
  private IdleLimitLint() {}

  /**
   * Tells of the limits of a rule, or of all requests, that never refuse.
   *
   * @param sink takes a field of the rule, and what about it.
   */
  static void check(RuleSpec rule, BiConsumer<String, String> sink) {
    int count =
        rule.action() == RuleAction.LIMIT && rule.share() == Share.NONE ? rule.budgets().size() : 0;
    for (int i = 0; i < count; i++) {
      BudgetSpec idle = rule.budgets().get(i);
      for (int j = 0; j < count; j++) {
        BudgetSpec other = rule.budgets().get(j);
        boolean isEither = j > i && isBehind(other, idle);
        if (j != i && isBehind(idle, other) && !isEither) {
          String problem = "%s never refuses: %s, %s, has always refused before";
          String at = rule.fieldsOf(j).replace(".", "");
          sink.accept(
              rule.fieldsOf(i) + "limit",
              problem.formatted(idle.limit().rate(), at, other.limit().rate()));
          break;
        }
      }
    }
  }

  private static boolean isBehind(BudgetSpec idle, BudgetSpec other) {
    boolean isOfItsCallers = other.key().equals(idle.key()) || other.key().equals(KeySpec.ALL);
    return isOfItsCallers
        && idle.mode() == other.mode()
        && idle.mode() != Mode.LEASED
        && idle.onStoreFailureOrDefault() == other.onStoreFailureOrDefault()
        && !idle.holds()
        && !other.holds()
        && idle.cost().equals(other.cost())
        && idle.limit().unit() == other.limit().unit()
        && idle.limit().align() == null
        && other.limit().align() == null
        && isBehind(idle.limit(), other.limit());
  }

  private static boolean isBehind(LimitSpec idle, LimitSpec other) {
    double burst = most(other);
    double perNs = (double) other.rate().count() / other.rate().windowNs();
    double windowNs = idle.rate().windowNs();
    return switch (idle.algorithm()) {
      case GCRA, TOKEN_BUCKET, LEAKY_BUCKET ->
          burst <= idle.capacity() && perNs <= idle.rate().count() / windowNs;
      case FIXED_WINDOW, SLIDING_LOG -> burst + perNs * windowNs <= idle.rate().count();
      case SLIDING_COUNTER, BUCKET_RING -> burst + perNs * 2 * windowNs <= idle.rate().count();
    };
  }

  /** The most that a limit lets pass at one moment, or around it. */
  private static double most(LimitSpec limit) {
    boolean paces =
        limit.algorithm() == Algorithm.GCRA
            || limit.algorithm() == Algorithm.TOKEN_BUCKET
            || limit.algorithm() == Algorithm.LEAKY_BUCKET;
    boolean isExact = paces || limit.algorithm() == Algorithm.SLIDING_LOG;
    return (paces ? limit.capacity() : limit.rate().count()) * (isExact ? 1.0 : 2.0);
  }
}

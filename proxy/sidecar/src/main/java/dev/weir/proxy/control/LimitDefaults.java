package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.DurationText;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Overflow;

/**
 * The defaults of a limit's own fields that say something of it: those of other algorithms and
 * modes would be faults.
 */
final class LimitDefaults {
  private static final long NS_PER_MS = 1_000_000;

  private LimitDefaults() {}

  /**
   * The text that stands for a field of a limit where none is given; null if it may not be given,
   * or has no text.
   *
   * @param standard of its row; null if it has none.
   */
  static String text(String field, String standard, BudgetSpec limit) {
    LimitSpec resolved = limit.limit().resolved();
    boolean isConcurrency = limit.limit().isConcurrency();
    return switch (field) {
      case "algorithm" -> isConcurrency ? null : standard;
      case "burst" -> limit.limit().takesBurst() ? limit.limit().capacityText() : null;
      case "overflow" -> limit.limit().algorithm() == Algorithm.LEAKY_BUCKET ? standard : null;
      case "max-wait" -> limit.limit().overflow() == Overflow.QUEUE ? standard : null;
      case "align" -> resolved.align() == null ? null : resolved.align().toString();
      case "time-zone" -> resolved.zone() == null ? null : standard;
      case "sub-window" -> inMilliseconds(resolved.subWindowNs());
      case "on-store-failure" -> limit.mode().needsStore() ? standard : null;
      default -> standard;
    };
  }

  private static String inMilliseconds(long ns) {
    return ns == 0 || ns % NS_PER_MS != 0 ? null : DurationText.text(ns);
  }
}

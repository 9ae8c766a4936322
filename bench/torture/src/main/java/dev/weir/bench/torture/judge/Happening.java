package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.plan.FaultPlan;

/**
 * A fault as it happened.
 *
 * @param sidecar to which it happened; {@link #ALL} to all or to none.
 * @param rule the number of the rule to whose budgets it happened; {@link #ALL} likewise.
 * @param toNs when it was over.
 */
public record Happening(FaultPlan.Kind kind, int sidecar, int rule, long fromNs, long toNs) {
  public static final int ALL = -1;

  /** Whether it happened, with so much before and after, within a span. */
  boolean touches(long spanFromNs, long spanToNs, long beforeNs, long afterNs) {
    return fromNs - beforeNs <= spanToNs && toNs + afterNs >= spanFromNs;
  }
}

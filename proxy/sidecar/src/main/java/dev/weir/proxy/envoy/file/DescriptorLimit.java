package dev.weir.proxy.envoy.file;

import java.util.List;

/**
 * The limit of a node, as in the file.
 *
 * @param unit null if it is unlimited.
 * @param requestsPerUnit 0 to 2^32 - 1; 0 lets nothing pass.
 * @param name for {@code replaces} of others; empty if there is none.
 * @param replaces names of limits that do not apply if this one does.
 * @param isShadow whether it counts and lets all pass.
 * @param isQuota whether it refuses only if all such limits of the call do.
 * @param hasDetailedMetric whether its metrics have the values of the whole descriptor.
 */
public record DescriptorLimit(
    LimitUnit unit,
    long requestsPerUnit,
    boolean isUnlimited,
    String name,
    List<String> replaces,
    boolean isShadow,
    boolean isQuota,
    boolean hasDetailedMetric,
    LimitOptions options) {
  public static final long MAX_REQUESTS_PER_UNIT = 0xFFFF_FFFFL;

  /**
   * Whether every hit counts, refused or not; also if the limit lets nothing pass. Then the budget
   * only counts: admission charges a limit that is never reached, the same for all limits of one
   * unit, and the count is compared with the limit here. So a changed number, or one that a call
   * brings, applies to what was counted.
   */
  public boolean countsAll() {
    return options.countsAll() || requestsPerUnit == 0;
  }
}

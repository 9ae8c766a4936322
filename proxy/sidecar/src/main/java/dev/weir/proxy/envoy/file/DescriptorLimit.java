package dev.weir.proxy.envoy.file;

import java.util.List;

/**
 * What a node of a file says that is to be limited.
 *
 * @param unit null if it is unlimited.
 * @param requestsPerUnit 0 to 2^32 - 1; 0 lets nothing pass.
 * @param name for {@code replaces} of others; empty if there is none.
 * @param replaces names of limits that are not looked at where this one is.
 * @param isShadow whether it is counted and lets all pass.
 * @param isQuota whether it refuses only together with all others of its kind.
 * @param hasDetailedMetric whether its figures go by the values of the whole descriptor.
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
   * Whether every hit counts, refused or not, as of what lets nothing pass. Then what is charged is
   * a mere count: all limits of one unit as one that nothing reaches, and the count that comes back
   * is compared with the limit's own number. So a number that changes, or that a request brings
   * along, finds what was counted.
   */
  public boolean countsAll() {
    return options.countsAll() || requestsPerUnit == 0;
  }
}

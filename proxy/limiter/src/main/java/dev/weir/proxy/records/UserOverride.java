package dev.weir.proxy.records;

import dev.weir.proxy.rule.spec.Amount;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a user has instead of what is usual, until a time: one of another tier, amounts of limits,
 * and a factor.
 *
 * @param until from then on it is as if there were none.
 * @param reason for people.
 * @param tier null if it sets none.
 * @param limits by name; empty if it sets none.
 * @param factorThousandths of what the user has without it; 0 if it sets none.
 */
public record UserOverride(
    Instant until, String reason, String tier, Map<String, Amount> limits, long factorThousandths) {
  /** The longest time that one may last when it is written: a year, if it is a leap year. */
  public static final Duration LONGEST = Duration.ofDays(366);

  public UserOverride {
    limits = Collections.unmodifiableMap(new LinkedHashMap<>(limits));
  }

  /** Whether it holds at a time. */
  public boolean holdsAt(Instant time) {
    return time.isBefore(until);
  }
}

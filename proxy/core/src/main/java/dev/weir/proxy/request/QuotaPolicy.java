package dev.weir.proxy.request;

/**
 * A quota policy: a limit as clients are told of it, one item of {@code RateLimit-Policy}.
 *
 * @param name of the quota policy, printable ASCII without quote or backslash.
 * @param quota requests per window, 0 to 999,999,999,999,999.
 * @param windowSeconds at least 1; or {@link #NO_WINDOW}.
 * @param unit how many units of the limit are one: 1, or 1,000 of a limit with decimals.
 */
public record QuotaPolicy(String name, long quota, long windowSeconds, int unit) {
  /** The window of a limit of requests at a time. */
  public static final long NO_WINDOW = 0;

  public QuotaPolicy(String name, long quota, long windowSeconds) {
    this(name, quota, windowSeconds, 1);
  }

  /** Whether the quota is of requests at a time. */
  public boolean isAtATime() {
    return windowSeconds == NO_WINDOW;
  }

  /** The whole units that a number of the limit's units makes, rounded down. */
  long whole(long units) {
    return unit == 1 ? units : units / unit;
  }

  /** Written out, as the JVM would generate that of a record when the first request is refused. */
  @Override
  public int hashCode() {
    return 31 * (31 * name.hashCode() + Long.hashCode(quota)) + Long.hashCode(windowSeconds);
  }
}

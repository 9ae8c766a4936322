package dev.weir.proxy.request;

/**
 * A quota policy: a limit as clients are told of it, one item of {@code RateLimit-Policy}.
 *
 * @param name of the quota policy, printable ASCII without quote or backslash.
 * @param quota requests per window, 0 to 999,999,999,999,999.
 * @param windowSeconds at least 1.
 */
public record QuotaPolicy(String name, long quota, long windowSeconds) {
  /** Written out, as the JVM would generate that of a record when the first request is refused. */
  @Override
  public int hashCode() {
    return 31 * (31 * name.hashCode() + Long.hashCode(quota)) + Long.hashCode(windowSeconds);
  }
}

package dev.weir.proxy.api;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.rule.identity.KeyHasher;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.agrona.concurrent.UnsafeBuffer;

/** The limits of callers of the API, by the engine that limits everybody. Any thread. */
final class OwnLimits implements AutoCloseable {
  static final int READS = 1_000;
  static final int WRITES = 100;
  static final int FAILED_LOG_INS = 20;

  /** Addresses and tokens that are in debt at one time; beyond, those that owe least give way. */
  private static final int KEYS = 8_192;

  private static final long WINDOW_NS = TimeUnit.MINUTES.toNanos(1);

  private final LimitTable table = new LimitTable(KEYS);
  private final KeyHasher hasher = KeyHasher.random();
  private final LongSupplier clock;

  /** The kind of request that is limited. */
  enum Kind {
    READS(OwnLimits.READS),
    WRITES(OwnLimits.WRITES),
    LOG_INS(FAILED_LOG_INS);

    private final int quota;
    private final Limit limit;

    Kind(int quota) {
      this.quota = quota;
      limit = Limit.gcra(quota, WINDOW_NS, quota);
    }

    /** Its name in fields of answers. */
    @Override
    public String toString() {
      return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
  }

  OwnLimits() {
    this(LoopClock::timeNs);
  }

  OwnLimits(LongSupplier clock) {
    this.clock = clock;
  }

  /** The address as limits know it: of IPv6 the network of 64 bits; null for a Unix socket. */
  static String key(InetAddress address) {
    if (address == null) {
      return "unix";
    }
    byte[] bytes = address.getAddress();
    return HexFormat.of()
        .formatHex(address instanceof Inet6Address ? Arrays.copyOf(bytes, 8) : bytes);
  }

  /** Whether an address may try a token: it has not failed too often. */
  boolean mayLogIn(String address, Decision out) {
    return table.peek(hash(Kind.LOG_INS, address), Kind.LOG_INS.limit, 1, clock.getAsLong(), out);
  }

  void logInFailed(String address) {
    charge(Kind.LOG_INS, address, 1, new Decision());
  }

  /** Charges a caller; false if it has used its limit. */
  boolean charge(Kind kind, String key, int units, Decision out) {
    return table.check(hash(kind, key), kind.limit, units, clock.getAsLong(), out);
  }

  /**
   * Charges writes that come in one request, in parts where they are more than fit into a window.
   *
   * @throws ApiProblem 429.
   */
  void chargeWrites(String caller, int count) throws ApiProblem {
    Decision decision = new Decision();
    if (!charge(Kind.WRITES, caller, count, decision)) {
      throw refused(Kind.WRITES, decision);
    }
  }

  /** The answer to a caller that has used its limit. */
  ApiProblem refused(Kind kind, Decision decision) {
    ApiProblem problem =
        new ApiProblem(429, "More than " + kind.quota + " " + kind + " a minute; wait a while.");
    fields(kind, decision).forEach(problem::field);
    return problem.field(
        "Retry-After", Long.toString(Math.max(1, seconds(decision.retryAfterNs()))));
  }

  /** The fields that tell a caller of its limit (draft-ietf-httpapi-ratelimit-headers-11). */
  Map<String, String> fields(Kind kind, Decision decision) {
    long waitNs =
        decision.allowed()
            ? Math.max(0, decision.resetAtNs() - clock.getAsLong())
            : decision.retryAfterNs();
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("RateLimit-Policy", "\"" + kind + "\";q=" + kind.quota + ";w=60");
    fields.put("RateLimit", "\"" + kind + "\";r=" + decision.remaining() + ";t=" + seconds(waitNs));
    return fields;
  }

  private static long seconds(long ns) {
    return ns == Decision.NEVER ? 60 : (ns + 999_999_999) / 1_000_000_000;
  }

  private long hash(Kind kind, String key) {
    byte[] bytes = (kind.name() + ' ' + key).getBytes(StandardCharsets.UTF_8);
    return hasher.hash(new UnsafeBuffer(bytes), 0, bytes.length);
  }

  @Override
  public void close() {
    table.close();
  }
}

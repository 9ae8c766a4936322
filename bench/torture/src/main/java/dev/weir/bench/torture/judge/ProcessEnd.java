package dev.weir.bench.torture.judge;

import java.util.Map;
import java.util.OptionalInt;

/**
 * A sidecar's process when all traffic has ended and it has had time to let go of everything, or
 * when it ended before.
 *
 * @param wasToEnd whether this run ended it, by a signal.
 * @param killed whether by SIGKILL.
 * @param exitStatus empty while it lives.
 * @param gauges by their names, of one that lives; what must be as before the traffic.
 * @param before the same gauges before the traffic.
 * @param descriptors that are open.
 * @param threads of the system's.
 * @param rssMib memory in MiB, without what nobody uses of the heap.
 * @param peaks the highest of some gauges that was seen, by their names, and of its memory.
 */
public record ProcessEnd(
    int sidecar,
    int life,
    boolean wasToEnd,
    boolean killed,
    OptionalInt exitStatus,
    Map<String, Double> before,
    Map<String, Double> gauges,
    Growth descriptors,
    Growth threads,
    Growth rssMib,
    Map<String, Double> peaks,
    String log) {
  /** A number before the traffic, and now. */
  public record Growth(long before, long now) {}

  /** The growth of a process of which nothing is known. */
  public static final Growth NOTHING = new Growth(0, 0);

  String name() {
    return "sidecar %d, life %d".formatted(sidecar, life);
  }

  /** Whether it had no room for so many identities: some shared a budget, some had one anew. */
  boolean hasFullTable() {
    return log.contains("limit table: full") || log.contains("table of limits with rings: full");
  }

  /** Streams that clients of HTTP/2 have open. */
  public static final String STREAMS = "weir_http2_streams_open";

  /** Streams that callers of the decision API have open above eight for each connection. */
  public static final String DECISION_STREAMS = "streams above 8 of each decision connection";

  /**
   * MiB of memory above those before, at most: classes and code of paths that no request had taken,
   * and what the JVM keeps free of its heap.
   */
  public static final int RSS_MORE_MIB = 128;

  /** MiB of memory. */
  public static final String RSS_MIB = "RSS";
}

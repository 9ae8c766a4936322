package dev.weir.bench.torture.judge;

/**
 * What the service had of a request.
 *
 * @param firstNs when its head had come first.
 * @param count how often it came.
 * @param untilNs before the end of its answer was sent; 0 if nobody knows.
 */
public record Served(long firstNs, int count, long untilNs) {
  /** A request of whose answer nobody knows. */
  public Served(long firstNs, int count) {
    this(firstNs, count, 0);
  }
}

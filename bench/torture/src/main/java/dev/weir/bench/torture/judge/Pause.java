package dev.weir.bench.torture.judge;

/** A time in which the machine gave this process no processor, and so perhaps no sidecar. */
public record Pause(long fromNs, long toNs) {
  /** For so long around it nobody is blamed for being late. */
  private static final long AROUND_NS = 1_000_000_000;

  /** Whether a span may have suffered by it. */
  boolean isAround(long spanFromNs, long spanToNs) {
    return fromNs - AROUND_NS <= spanToNs && toNs + AROUND_NS >= spanFromNs;
  }
}

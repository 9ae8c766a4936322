package dev.weir.bench.torture.judge;

/**
 * Something that must not be.
 *
 * @param judge who says so.
 * @param fromNs the smallest span of time that shows it, of {@link System#nanoTime}.
 */
public record Finding(String judge, String text, long fromNs, long toNs) {
  /** Says that a part of the run itself failed. */
  public static final String RUN = "Episode";

  /** Says that a part of the run did not end, or a process did not answer it, in time. */
  public static final String LATE = "Episode, late";
}

package dev.weir.bench.torture.judge;

/**
 * Something that must not be.
 *
 * @param judge who says so.
 * @param fromNs the smallest span of time that shows it, of {@link System#nanoTime}.
 */
public record Finding(String judge, String text, long fromNs, long toNs) {}

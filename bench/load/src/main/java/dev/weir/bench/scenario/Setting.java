package dev.weir.bench.scenario;

/**
 * A text that somebody set.
 *
 * @param where it stands: {@code --rate}, or {@code load.yaml:3:7: rate}.
 */
record Setting(String where, String text) {}

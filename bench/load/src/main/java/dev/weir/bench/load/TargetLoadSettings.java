package dev.weir.bench.load;

/**
 * How a targetLoad carries its load.
 *
 * @param connections at least one.
 * @param closedLoop whether a request is due as soon as there is room for it.
 */
record TargetLoadSettings(int connections, long timeoutNs, boolean closedLoop) {}

package dev.weir.bench.load;

/**
 * How a lane carries its load.
 *
 * @param connections at least one.
 * @param closedLoop whether a request is due as soon as there is room for it.
 */
record LaneSettings(int connections, long timeoutNs, boolean closedLoop) {}

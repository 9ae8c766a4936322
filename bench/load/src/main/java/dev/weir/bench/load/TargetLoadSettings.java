package dev.weir.bench.load;

import dev.weir.bench.scenario.ClientSettings;

/**
 * How a targetLoad carries its load.
 *
 * @param connections at least one.
 * @param requestsPerConnection after which a connection is replaced; {@link ClientSettings#NO_END}
 *     for never.
 * @param closedLoop whether a request is due as soon as there is room for it.
 */
record TargetLoadSettings(
    int connections, int requestsPerConnection, long timeoutNs, boolean closedLoop) {}

package dev.weir.proxy.control;

import dev.weir.proxy.loop.TransportKind;
import java.net.SocketAddress;
import java.nio.file.Path;

/**
 * What concerns the process as a whole.
 *
 * @param admin where the admin port listens; null for nowhere.
 * @param eventLoopCount 1 or more.
 * @param drainTimeoutNs how long requests in flight may take to finish at the end.
 * @param latencyLog the file to which latencies are written; null for none.
 * @param latencyLogIntervalNs how often.
 */
public record ProcessSettings(
    SocketAddress admin,
    int eventLoopCount,
    TransportKind transport,
    long drainTimeoutNs,
    Path latencyLog,
    long latencyLogIntervalNs) {}

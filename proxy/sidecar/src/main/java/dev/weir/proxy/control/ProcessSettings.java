package dev.weir.proxy.control;

import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.loop.TransportKind;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * The settings of the process as a whole: admin and monitoring ports, event loops, drain, latency
 * log.
 *
 * @param admin where the admin port listens; null for nowhere.
 * @param adminHosts by which requests may call it, beside loopback addresses and localhost.
 * @param adminTokens the file of who may call it, by token or certificate; null for none.
 * @param monitoring where others than this machine may see health and metrics; null for nowhere.
 * @param eventLoopCount 1 or more.
 * @param drainGraceNs how long requests are served on at the end, while readiness says no already.
 * @param drainTimeoutNs how long requests in flight may take to finish at the end.
 * @param latencyLog the file to which latencies are written; null for none.
 * @param latencyLogIntervalNs how often.
 */
public record ProcessSettings(
    ListenerSettings admin,
    List<String> adminHosts,
    Path adminTokens,
    SocketAddress monitoring,
    int eventLoopCount,
    TransportKind transport,
    long drainGraceNs,
    long drainTimeoutNs,
    Path latencyLog,
    long latencyLogIntervalNs) {
  public ProcessSettings {
    adminHosts = List.copyOf(adminHosts);
  }
}

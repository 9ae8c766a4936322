package dev.weir.bench.torture.traffic;

/**
 * A sidecar that clients may ask now.
 *
 * @param sidecar which of them.
 * @param life which process: another one after each start.
 * @param port of the proxy, on 127.0.0.1.
 * @param tlsPort of the proxy, for TLS.
 * @param decisionPort of the decision API.
 */
public record Target(int sidecar, int life, int port, int tlsPort, int decisionPort) {}

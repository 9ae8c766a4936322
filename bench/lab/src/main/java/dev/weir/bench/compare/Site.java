package dev.weir.bench.compare;

import dev.weir.bench.process.Cores;
import dev.weir.bench.scenario.Protocol;
import java.nio.file.Path;

/**
 * Where a contender runs, and what it is to do there.
 *
 * @param protocol of its clients; the upstream's is HTTP/1.1.
 * @param port of 127.0.0.1 on which it shall listen.
 * @param upstreamPort of 127.0.0.1.
 * @param folder of its own, there and empty.
 */
record Site(
    Outcome outcome, Protocol protocol, int port, int upstreamPort, Path folder, Cores cores) {}

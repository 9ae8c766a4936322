package dev.weir.bench.compare;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.ServerCertificate;
import java.nio.file.Path;

/**
 * The place where a contender runs, and its task there.
 *
 * @param port of 127.0.0.1 on which it shall listen.
 * @param upstreamPort of 127.0.0.1, where the service of that wire listens.
 * @param certificate that it shows where the wire has TLS.
 * @param folder of its own, there and empty.
 */
record Site(
    Outcome outcome,
    Wire wire,
    int port,
    int upstreamPort,
    ServerCertificate certificate,
    Path folder,
    Cores cores) {

  /** The same, for one contender. */
  Site of(int ownPort, Path ownFolder) {
    return new Site(outcome, wire, ownPort, upstreamPort, certificate, ownFolder, cores);
  }
}

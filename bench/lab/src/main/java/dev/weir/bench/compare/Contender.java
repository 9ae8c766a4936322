package dev.weir.bench.compare;

import dev.weir.bench.compare.Contender.Outcome;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.ServerCertificate;
import dev.weir.bench.process.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A proxy with a limit per value of X-User-Id, on one thread. */
interface Contender {
  String name();

  /** Whether it is one of those with which Weir is compared. */
  boolean isPeer();

  /**
   * Name and version as it tells them; one line.
   *
   * @throws IOException with the reason, if it cannot be had on this machine.
   */
  String version() throws IOException;

  /** How it is set up, as a reader would repeat it: a file or a command line. */
  String setUp(Site site);

  /** The command line of what runs, where the set-up does not show it; else empty. */
  default String runsAs(ServerProcess process) throws IOException {
    return "";
  }

  /** The command that runs it, once what it reads is in its folder, which this writes. */
  List<String> command(Site site) throws IOException;

  default ServerProcess start(Site site) throws IOException {
    return ServerProcess.start(
        name(), site.cores().onServerCore(command(site)), log(site), site.port());
  }

  static Path log(Site site) {
    return site.folder().resolve("log");
  }

  /** The fate of every request of a round: all pass, or all are refused. */
  enum Outcome {
    /** The request reaches the upstream, whose answer is passed on. */
    PASS,
    /** The request is answered 429. */
    REFUSE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

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

    /** This site for one contender, with a port and a folder of its own. */
    Site of(int ownPort, Path ownFolder) {
      return new Site(outcome, wire, ownPort, upstreamPort, certificate, ownFolder, cores);
    }
  }
}

package dev.weir.bench.compare;

import dev.weir.bench.process.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A proxy with a limit per value of X-User-Id, on one thread. */
interface Contender {
  /** On the command line and in reports. */
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

  /** Starts it; it listens. */
  default ServerProcess start(Site site) throws IOException {
    return ServerProcess.start(
        name(), site.cores().onServerCore(command(site)), log(site), site.port());
  }

  /** The file that its output goes to. */
  static Path log(Site site) {
    return site.folder().resolve("log");
  }
}

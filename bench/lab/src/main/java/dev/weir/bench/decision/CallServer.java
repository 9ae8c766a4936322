package dev.weir.bench.decision;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** A server of gRPC that answers calls, on one thread. */
interface CallServer {
  /** On the command line and in reports. */
  String name();

  /** Calls that the server answers. */
  Set<Ask> asks();

  /**
   * Name and version, one line.
   *
   * @throws IOException with the reason, if it cannot be had on this machine.
   */
  String version() throws IOException;

  /**
   * Writes the files that it needs, and says what is to be started.
   *
   * @param folder of its own, there and empty.
   * @param port of 127.0.0.1 on which it shall listen.
   */
  List<String> command(Path folder, int port) throws IOException;

  /** Starts it; it listens. */
  default ServerProcess start(Path folder, int port, Cores cores) throws IOException {
    return ServerProcess.start(
        name(), cores.onServerCore(command(folder, port)), folder.resolve("log"), port);
  }
}

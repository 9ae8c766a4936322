package dev.weir.bench.fleet;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A sidecar as users run it, by its launcher. Owned by one thread. */
final class SidecarProcess implements AutoCloseable {
  private final Path launcher;
  private final List<String> command;
  private final Path log;
  private final int decisionPort;
  private final int adminPort;
  private ServerProcess process;

  /** What it had counted when it was killed, before that was lost. */
  private SidecarFigures figuresOfKilled = SidecarFigures.NONE;

  /**
   * Starts one, and waits until it listens.
   *
   * @param settings of it, but for its addresses.
   * @param folder for its files; there is none of that name.
   */
  SidecarProcess(Path launcher, String settings, Path folder, Cores cores) throws IOException {
    this.launcher = launcher.toAbsolutePath();
    decisionPort = ServerProcess.freePort();
    adminPort = ServerProcess.freePort();
    Files.createDirectory(folder);
    log = folder.resolve("log");
    final Path file =
        Files.writeString(
            folder.resolve("weir.yaml"),
            "decision: 127.0.0.1:"
                + decisionPort
                + "\nadmin: 127.0.0.1:"
                + adminPort
                + "\n"
                + settings);
    command = cores.onServerCore(List.of(launcher.toString(), "run", "-c", file.toString()));
    start();
  }

  /** Starts it again, on its ports; it must have ended. */
  void start() throws IOException {
    process = ServerProcess.start("weir", command, log, decisionPort, adminPort);
  }

  int decisionPort() {
    return decisionPort;
  }

  long pid() {
    return process.pid();
  }

  /** How it runs, with the JVM's flags: the command line up to Weir's own arguments. */
  String commandLine() {
    final String line = process.commandLine().replace(launcher.getParent() + "/", "");
    final int own = line.indexOf(" run -c ");
    return own < 0 ? line : line.substring(line.lastIndexOf('/', line.indexOf(' ')) + 1, own);
  }

  /** What it has counted since it was first started. */
  SidecarFigures figures() throws IOException {
    return SidecarFigures.read(adminPort).plus(figuresOfKilled);
  }

  /** Ends it at once, as a crash does; what it has in hand is lost. */
  void kill() throws IOException {
    figuresOfKilled = figures();
    process.kill();
  }

  /** Leaves it without processor time until {@link #resume}. */
  void suspend() throws IOException {
    process.suspend();
  }

  void resume() throws IOException {
    process.resume();
  }

  @Override
  public void close() {
    process.close();
  }
}

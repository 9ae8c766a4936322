package dev.weir.bench.process;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A sidecar as users run it, by its launcher, with an admin port. Owned by one thread. */
public final class SidecarProcess implements AutoCloseable {
  private static final String PORT = "<port>";
  private static final int TIMEOUT_MS = 5_000;

  private final Path launcher;
  private final List<String> command;
  private final Path log;
  private final int port = ServerProcess.freePort();
  private final int adminPort = ServerProcess.freePort();
  private ServerProcess process;

  /**
   * Starts one, and waits until it listens.
   *
   * @param settings in YAML, with {@code <port>} for the port where it is asked, and without {@code
   *     admin}.
   * @param folder for its files, there and empty.
   */
  public SidecarProcess(Path launcher, String settings, Path folder, Cores cores)
      throws IOException {
    this.launcher = launcher.toAbsolutePath();
    log = folder.resolve("log");
    final Path file =
        Files.writeString(
            folder.resolve("weir.yaml"),
            settings.replace(PORT, Integer.toString(port))
                + "admin: 127.0.0.1:"
                + adminPort
                + "\n");
    command = cores.onServerCore(List.of(this.launcher.toString(), "run", "-c", file.toString()));
    start();
  }

  /** Starts it again, on its ports; it must have ended. */
  public void start() throws IOException {
    process = ServerProcess.start("weir", command, log, port, adminPort);
  }

  /** Port of 127.0.0.1 where it is asked. */
  public int port() {
    return port;
  }

  public long pid() {
    return process.pid();
  }

  /** Command line with the JVM's flags, up to Weir's own arguments. */
  public String commandLine() {
    final String line = process.commandLine().replace(launcher.getParent() + "/", "");
    final int own = line.indexOf(" run -c ");
    return own < 0 ? line : line.substring(line.lastIndexOf('/', line.indexOf(' ')) + 1, own);
  }

  public String metrics() throws IOException {
    return metrics(adminPort);
  }

  /** The page of metrics of the sidecar whose admin port that is. */
  public static String metrics(int adminPort) throws IOException {
    final HttpURLConnection connection =
        (HttpURLConnection)
            URI.create("http://127.0.0.1:" + adminPort + "/metrics").toURL().openConnection();
    connection.setConnectTimeout(TIMEOUT_MS);
    connection.setReadTimeout(TIMEOUT_MS);
    try (InputStream in = connection.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } finally {
      connection.disconnect();
    }
  }

  /** The sum of the metrics whose lines begin so; 0 if there are none. */
  public double metric(String beginning) throws IOException {
    return metrics()
        .lines()
        .filter(line -> line.startsWith(beginning))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** Ends it at once, as a crash does; what it has in hand is lost. */
  public void kill() {
    process.kill();
  }

  /** Leaves it without processor time until {@link #resume}. */
  public void suspend() throws IOException {
    process.suspend();
  }

  public void resume() throws IOException {
    process.resume();
  }

  @Override
  public void close() {
    process.close();
  }
}

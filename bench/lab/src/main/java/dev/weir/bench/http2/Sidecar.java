package dev.weir.bench.http2;

import dev.weir.bench.process.ProcessorTime;
import dev.weir.bench.process.Programs;
import dev.weir.bench.process.ServerCertificate;
import dev.weir.bench.process.ServerProcess;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoublePredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A sidecar in a process of its own, as users run it, with its figures. */
final class Sidecar implements AutoCloseable {
  private static final Pattern OTHER_MEMORY =
      Pattern.compile("Other \\(reserved=\\d+KB, committed=(\\d+)KB\\)");

  private final int port = ServerProcess.freePort();
  private final int adminPort = ServerProcess.freePort();
  private final Path file;
  private final ServerCertificate certificate;
  private final Path log;
  private final ServerProcess process;

  /**
   * Starts one by the launcher of the folder that this runs in.
   *
   * @param settings as YAML, but for where it listens.
   */
  Sidecar(Path folder, String settings) throws IOException {
    this(folder, settings, null);
  }

  /**
   * Starts one by the launcher of the folder that this runs in.
   *
   * @param settings as YAML, but for where it listens.
   * @param certificate with which it speaks TLS; null if it speaks none.
   */
  Sidecar(Path folder, String settings, ServerCertificate certificate) throws IOException {
    this.certificate = certificate;
    file = folder.resolve("weir.yaml");
    log = folder.resolve("weir.log");
    write(settings);
    process =
        ServerProcess.start(
            "weir",
            List.of(Path.of("weir").toAbsolutePath().toString(), "run", "-c", file.toString()),
            log,
            port);
  }

  /** Changes its settings, which it reads again when it is told to. */
  void write(String settings) throws IOException {
    final String tls =
        certificate == null
            ? ""
            : "tls: {certificate: " + certificate.chain() + ", key: " + certificate.key() + "}\n";
    Files.writeString(
        file,
        "listen: "
            + (certificate == null ? "" : "https://")
            + "127.0.0.1:"
            + port
            + "\nadmin: 127.0.0.1:"
            + adminPort
            + "\n"
            + tls
            + settings);
  }

  int port() {
    return port;
  }

  FrameSocket connect(int... settings) throws IOException {
    return certificate == null
        ? FrameSocket.connect(port, settings)
        : FrameSocket.connectTls(port, settings);
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** What it has printed. */
  String log() throws IOException {
    return Files.readString(log, StandardCharsets.ISO_8859_1);
  }

  double residentMib() {
    return ProcessorTime.residentMib(pid());
  }

  /**
   * Memory beside the heap that buffers take, as the JVM counts it; it must have been started with
   * {@code -XX:NativeMemoryTracking=summary}.
   */
  double directMib() throws IOException {
    final String memory =
        Programs.output(List.of("jcmd", Long.toString(pid()), "VM.native_memory", "scale=KB"));
    final Matcher other = OTHER_MEMORY.matcher(memory);
    if (!other.find()) {
      throw new IOException("WEIR_JAVA_OPTS does not say -XX:NativeMemoryTracking=summary");
    }
    return Double.parseDouble(other.group(1)) / 1024;
  }

  double processorUs() {
    return ProcessorTime.ofTreeUs(pid());
  }

  /** Sends the process a signal: HUP has it read its settings again, TERM drains it. */
  void signal(String name) throws IOException {
    new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start();
  }

  /** The sum of a figure's rows whose names begin so; 0 if there are none. */
  double figure(String beginning) throws IOException {
    return get("/metrics")
        .lines()
        .filter(line -> line.startsWith(beginning))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private String get(String path) throws IOException {
    final HttpURLConnection admin =
        (HttpURLConnection)
            URI.create("http://127.0.0.1:" + adminPort + path).toURL().openConnection();
    try {
      return new String(admin.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    } finally {
      admin.disconnect();
    }
  }

  /** Waits until a figure is no more than that; false if it is not within a minute. */
  boolean awaitAtMost(String beginning, double most) throws IOException {
    return await(beginning, value -> value <= most);
  }

  /** Waits until a figure is as it should be; false if it is not within a minute. */
  boolean await(String beginning, DoublePredicate wanted) throws IOException {
    final long startNs = System.nanoTime();
    while (!wanted.test(figure(beginning))) {
      if (System.nanoTime() - startNs > TimeUnit.MINUTES.toNanos(1)) {
        return false;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    return true;
  }

  @Override
  public void close() {
    process.close();
  }
}

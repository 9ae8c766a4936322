package dev.weir.bench.store;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A Redis server of our own: a child process on a free port of 127.0.0.1, nothing on disk, memory
 * bounded. Ends with {@link #close}, and with this process.
 */
final class RedisServer implements AutoCloseable {
  /** A server that is full refuses, which counts as an error reply. */
  private static final String MAX_MEMORY = "1gb";

  private static final long START_NS = TimeUnit.SECONDS.toNanos(10);
  private static final int END_SECONDS = 5;

  private final Process process;
  private final InetSocketAddress address;
  private final ControlConnection control;
  private final Path directory;
  private final Thread ending;

  RedisServer(Path binary, Cores cores) throws IOException {
    directory = Files.createTempDirectory("weir-bench-store");
    address = new InetSocketAddress(InetAddress.getLoopbackAddress(), freePort());
    process =
        new ProcessBuilder(
                cores.onServerCore(
                    List.of(
                        binary.toString(),
                        "--bind",
                        "127.0.0.1",
                        "--port",
                        Integer.toString(address.getPort()),
                        "--save",
                        "",
                        "--appendonly",
                        "no",
                        "--maxmemory",
                        MAX_MEMORY,
                        "--dir",
                        directory.toString())))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    ending = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(ending);
    control = connect();
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  private ControlConnection connect() throws IOException {
    final long start = System.nanoTime();
    while (true) {
      try {
        final ControlConnection connection = new ControlConnection(address);
        connection.text("PING");
        return connection;
      } catch (IOException e) {
        if (System.nanoTime() - start > START_NS || !process.isAlive()) {
          final String log = Files.readString(directory.resolve("log"));
          end();
          throw new IOException("redis-server does not answer: " + log, e);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
    }
  }

  InetSocketAddress address() {
    return address;
  }

  ControlConnection control() {
    return control;
  }

  /** Makes a script known; returns its digest. */
  String load(byte[] script) throws IOException {
    return control.text("SCRIPT", "LOAD", new String(script, StandardCharsets.ISO_8859_1));
  }

  String version() throws IOException {
    return info("server", "redis_version:");
  }

  /** Processor time so far of the thread that runs commands, or where unknown of all threads. */
  double cpuUs() throws IOException {
    final String info = control.text("INFO", "cpu");
    final String suffix = info.contains("used_cpu_user_main_thread:") ? "_main_thread:" : ":";
    return 1e6
        * (Double.parseDouble(line(info, "used_cpu_user" + suffix))
            + Double.parseDouble(line(info, "used_cpu_sys" + suffix)));
  }

  /** Error replies since the last {@link #resetStatistics}. */
  long errors() throws IOException {
    final String info = control.text("INFO", "errorstats");
    long errors = 0;
    for (String line : info.split("\r\n")) {
      if (line.startsWith("errorstat_")) {
        errors += Long.parseLong(line.substring(line.indexOf("count=") + 6));
      }
    }
    return errors;
  }

  /** Time of one command inside the server, 99th percentile; NaN before Redis 7.0. */
  double p99Us(String command) throws IOException {
    final String percentiles = info("latencystats", "latency_percentiles_usec_" + command + ":");
    if (percentiles.isEmpty()) {
      return Double.NaN;
    }
    for (String percentile : percentiles.split(",")) {
      if (percentile.startsWith("p99=")) {
        return Double.parseDouble(percentile.substring(4));
      }
    }
    return Double.NaN;
  }

  void resetStatistics() throws IOException {
    control.text("CONFIG", "RESETSTAT");
  }

  void empty() throws IOException {
    control.text("FLUSHALL", "SYNC");
  }

  private String info(String section, String name) throws IOException {
    return line(control.text("INFO", section), name);
  }

  private static String line(String info, String name) {
    for (String line : info.split("\r\n")) {
      if (line.startsWith(name)) {
        return line.substring(name.length());
      }
    }
    return "";
  }

  @Override
  public void close() throws IOException {
    control.close();
    end();
  }

  private void end() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().removeShutdownHook(ending);
    Files.deleteIfExists(directory.resolve("log"));
    Files.deleteIfExists(directory);
  }
}

package dev.weir.bench.store;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.ServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A Redis server of our own: a child process on a free port of 127.0.0.1, nothing on disk, memory
 * bounded. Ends with {@link #close}, and with this process.
 */
public final class RedisServer implements AutoCloseable {
  /** A server that is full refuses, which counts as an error reply. */
  private static final String MAX_MEMORY = "1gb";

  private final ServerProcess process;
  private final InetSocketAddress address;
  private final ControlConnection control;
  private final Path directory;

  public RedisServer(Path binary, Cores cores) throws IOException {
    directory = Files.createTempDirectory("weir-bench-store");
    address = new InetSocketAddress(InetAddress.getLoopbackAddress(), ServerProcess.freePort());
    process =
        ServerProcess.start(
            "redis-server",
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
                    directory.toString())),
            directory.resolve("log"),
            address.getPort());
    control = new ControlConnection(address);
    control.text("PING");
  }

  public InetSocketAddress address() {
    return address;
  }

  ControlConnection control() {
    return control;
  }

  /** Makes a script known; returns its digest. */
  String load(byte[] script) throws IOException {
    return control.text("SCRIPT", "LOAD", new String(script, StandardCharsets.ISO_8859_1));
  }

  public String version() throws IOException {
    return info("server", "redis_version:");
  }

  /** Processor time so far of the thread that runs commands, or where unknown of all threads. */
  public double cpuUs() throws IOException {
    final String info = control.text("INFO", "cpu");
    final String suffix = info.contains("used_cpu_user_main_thread:") ? "_main_thread:" : ":";
    return 1e6
        * (Double.parseDouble(line(info, "used_cpu_user" + suffix))
            + Double.parseDouble(line(info, "used_cpu_sys" + suffix)));
  }

  /** Commands carried out so far, in scripts or not, of that name; of an empty one of all names. */
  public long calls(String command) throws IOException {
    long calls = 0;
    for (String line : control.text("INFO", "commandstats").split("\r\n")) {
      if (line.startsWith("cmdstat_" + command) && !line.startsWith("cmdstat_info:")) {
        calls += Long.parseLong(line.substring(line.indexOf("calls=") + 6, line.indexOf(',')));
      }
    }
    return calls;
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
    process.close();
    Files.deleteIfExists(directory.resolve("log"));
    Files.deleteIfExists(directory);
  }
}

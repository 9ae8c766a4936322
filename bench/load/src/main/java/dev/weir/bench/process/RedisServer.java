package dev.weir.bench.process;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A Redis server of our own: a child process on a free port of 127.0.0.1, memory bounded. Ends with
 * {@link #close}, and with this process, and leaves nothing on disk. Owned by one thread.
 */
public final class RedisServer implements AutoCloseable {
  /** A server that is full refuses, which counts as an error reply. */
  private static final String MAX_MEMORY = "1gb";

  private static final long SYNC_NS = 10_000_000_000L;
  private static final long POLL_NS = 1_000_000;

  private final List<String> command;
  private final InetSocketAddress address;
  private final TemporaryFolder folder = new TemporaryFolder("weir-bench-store");
  private ServerProcess process;
  private RedisConnection control;

  /** One that keeps nothing on disk. */
  public RedisServer(Path binary, Cores cores) throws IOException {
    this(binary, cores, List.of("--appendonly", "no"));
  }

  private RedisServer(Path binary, Cores cores, List<String> settings) throws IOException {
    address = new InetSocketAddress(InetAddress.getLoopbackAddress(), ServerProcess.freePort());
    final List<String> words =
        new ArrayList<>(
            List.of(
                binary.toString(),
                "--bind",
                "127.0.0.1",
                "--port",
                Integer.toString(address.getPort()),
                "--save",
                "",
                "--maxmemory",
                MAX_MEMORY,
                "--dir",
                folder.path().toString()));
    words.addAll(settings);
    command = cores.onServerCore(words);
    try {
      start();
    } catch (IOException | RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  /**
   * One that has all it was told when it is started again: a log on disk, written before replies.
   */
  public static RedisServer logged(Path binary, Cores cores) throws IOException {
    return new RedisServer(binary, cores, List.of("--appendonly", "yes"));
  }

  /** One that follows another; it has what that one has. */
  public static RedisServer replicaOf(RedisServer primary, Path binary, Cores cores)
      throws IOException {
    final RedisServer replica =
        new RedisServer(
            binary,
            cores,
            List.of(
                "--appendonly",
                "no",
                "--repl-diskless-sync-delay",
                "0",
                "--replicaof",
                "127.0.0.1 " + primary.address.getPort()));
    try {
      replica.awaitLink();
      return replica;
    } catch (IOException | RuntimeException e) {
      replica.close();
      throw e;
    }
  }

  private void awaitLink() throws IOException {
    final long startNs = System.nanoTime();
    while (!info("replication", "master_link_status:").equals("up")) {
      if (System.nanoTime() - startNs > SYNC_NS) {
        throw new IOException("a replica has not followed within 10 s: see its log");
      }
      LockSupport.parkNanos(POLL_NS);
    }
  }

  /** Starts it again, with what it has on disk, on its port; it must have ended. */
  public void start() throws IOException {
    process =
        ServerProcess.start(
            "redis-server", command, folder.path().resolve("log"), address.getPort());
    control = new RedisConnection(address);
    awaitLoaded();
  }

  /** Until it has read its log it listens, and takes no commands but a few. */
  private void awaitLoaded() throws IOException {
    final long startNs = System.nanoTime();
    while (!info("persistence", "loading:").equals("0")) {
      if (System.nanoTime() - startNs > SYNC_NS) {
        throw new IOException("redis-server has not read its log in 10 s");
      }
      LockSupport.parkNanos(POLL_NS);
    }
  }

  public void kill() throws IOException {
    control.close();
    process.kill();
  }

  /** Leaves it without processor time until {@link #resume}. */
  public void suspend() throws IOException {
    process.suspend();
  }

  public void resume() throws IOException {
    process.resume();
  }

  public void promote() throws IOException {
    control.text("REPLICAOF", "NO", "ONE");
  }

  /** Takes no more writes for a while: those who send some wait. */
  public void pauseWrites(long ms) throws IOException {
    control.text("CLIENT", "PAUSE", Long.toString(ms), "WRITE");
  }

  /**
   * Waits until a replica has all that this server has, which must take no writes meanwhile.
   *
   * @throws IOException if it has not within 10 s.
   */
  public void awaitCopy(RedisServer replica) throws IOException {
    final long startNs = System.nanoTime();
    final long wanted = Long.parseLong(info("replication", "master_repl_offset:"));
    while (Long.parseLong(replica.info("replication", "slave_repl_offset:")) < wanted) {
      if (System.nanoTime() - startNs > SYNC_NS) {
        throw new IOException("a replica has not all writes after 10 s");
      }
      LockSupport.parkNanos(POLL_NS);
    }
  }

  public InetSocketAddress address() {
    return address;
  }

  public RedisConnection control() {
    return control;
  }

  /** Makes a script known; returns its digest. */
  public String load(byte[] script) throws IOException {
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

  /** Processor time of all its threads so far, in steps of 10 ms. */
  public double processUs() {
    return ProcessorTime.ofTreeUs(process.pid());
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
  public long errors() throws IOException {
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
  public double p99Us(String command) throws IOException {
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

  public void resetStatistics() throws IOException {
    control.text("CONFIG", "RESETSTAT");
  }

  public void empty() throws IOException {
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
    try (folder) {
      control.close();
      process.close();
    }
  }

  /**
   * A connection to Redis for what is done between measurements: one command and one reply at a
   * time. Owned by one thread.
   */
  public static final class RedisConnection implements AutoCloseable {
    private static final int TIMEOUT_MS = 10_000;

    private final Socket socket = new Socket();
    private final DataInputStream in;
    private final OutputStream out;

    public RedisConnection(InetSocketAddress address) throws IOException {
      socket.connect(address, TIMEOUT_MS);
      socket.setSoTimeout(TIMEOUT_MS);
      in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
      out = socket.getOutputStream();
    }

    /** A bulk string's, status's or integer's bytes; null for a null reply; no arrays. */
    public byte[] send(byte[] frame) throws IOException {
      out.write(frame);
      final StringBuilder line = new StringBuilder();
      for (int c = in.readUnsignedByte(); c != '\r'; c = in.readUnsignedByte()) {
        line.append((char) c);
      }
      in.readUnsignedByte();
      final char type = line.charAt(0);
      if (type == '-') {
        throw new IOException("redis: " + line.substring(1));
      }
      if (type != '$') {
        return line.substring(1).getBytes(StandardCharsets.ISO_8859_1);
      }
      final int length = Integer.parseInt(line.substring(1));
      if (length < 0) {
        return null;
      }
      final byte[] body = in.readNBytes(length);
      in.readNBytes(2);
      return body;
    }

    /**
     * The reply to a command, as {@link #send} reads it, each byte the character of that number.
     */
    public String text(String... parts) throws IOException {
      final StringBuilder frame = new StringBuilder("*" + parts.length + "\r\n");
      for (String part : parts) {
        frame.append('$').append(part.length()).append("\r\n").append(part).append("\r\n");
      }
      // One char per byte: sources of scripts are passed as ISO 8859-1.
      final byte[] reply = send(frame.toString().getBytes(StandardCharsets.ISO_8859_1));
      return reply == null ? null : new String(reply, StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}

package dev.weir.scripts.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A server as a child process on 127.0.0.1, without persistence, in a folder of its own. Any thread
 * may connect; one alone kills, pauses, restarts and closes.
 */
public final class RedisServer implements AutoCloseable {
  private static final int PORT_ATTEMPTS = 5;
  private static final int END_SECONDS = 60;
  private static final String TAKEN = "Address already in use";

  private final Builder options;
  private final Path folder;
  private final int port;
  private volatile Process process;
  private volatile boolean paused;

  /** The options of a server. */
  public static final class Builder {
    private final Path binary;
    private final List<String> lines = new ArrayList<>();
    private String ready = "eady to accept connections";
    private int port;
    private boolean unixSocket;
    private TwoHosts hosts;
    private boolean sentinel;
    private SelfSignedCertificate certificate;
    private String password;
    private Map<String, String> environment = Map.of();

    private Builder(Path binary) {
      this.binary = binary;
    }

    /** This port alone. By default a free one is chosen, and another if it is taken meanwhile. */
    public Builder port(int port) {
      this.port = port;
      return this;
    }

    /** Listens on {@link RedisServer#unixSocket} too. */
    public Builder unixSocket() {
      unixSocket = true;
      return this;
    }

    /** Runs on the server's host of the two, and is connected to by its Unix socket from here. */
    public Builder on(TwoHosts hosts) {
      this.hosts = hosts;
      return unixSocket();
    }

    /** A line of {@code redis.conf}, as {@code config("maxmemory", "1mb")}. */
    public Builder config(String name, String... values) {
      final StringBuilder line = new StringBuilder(name);
      for (String value : values) {
        line.append(" \"").append(value.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
      }
      lines.add(line.toString());
      return this;
    }

    /**
     * The default user's password, which {@link RedisServer#connect} then sends, as does this
     * server to its master.
     */
    public Builder password(String password) {
      this.password = password;
      return config("requirepass", password).config("masterauth", password);
    }

    /** An ACL user, as {@code user("weir", "on", ">secret", "~rl:*", "+@all")}. */
    public Builder user(String name, String... rules) {
      // Not quoted: Redis takes the rules apart itself.
      lines.add("user " + name + ' ' + String.join(" ", rules));
      return this;
    }

    /** Variables of its environment, beside this process's. */
    public Builder environment(Map<String, String> variables) {
      environment = Map.copyOf(variables);
      return this;
    }

    /** Speaks TLS on its port, and nothing else there, and with other servers. */
    public Builder tls(SelfSignedCertificate certificate) {
      this.certificate = certificate;
      return this;
    }

    /** The password of a sentinel, which it then sends to others. */
    Builder sentinelPassword(String password) {
      this.password = password;
      return config("requirepass", password).config("sentinel", "sentinel-pass", password);
    }

    /** Runs as a sentinel, whose configuration is the lines. */
    Builder sentinel() {
      sentinel = true;
      ready = "+monitor master";
      return this;
    }

    /** Starts it and returns once it accepts connections. */
    public RedisServer start() throws IOException {
      for (int attempt = 1; ; attempt++) {
        final RedisServer server = new RedisServer(this);
        try {
          server.launch();
          return server;
        } catch (IllegalStateException e) {
          final boolean again =
              port == 0 && attempt < PORT_ATTEMPTS && e.getMessage().contains(TAKEN);
          server.close();
          if (!again) {
            throw e;
          }
        }
      }
    }
  }

  private static RedisServer shared;

  /**
   * One that all classes of tests in this JVM share, empty: for those that leave it as it was. It
   * ends with the JVM.
   */
  public static synchronized RedisServer shared() {
    try {
      if (shared == null) {
        shared = on(RedisBinary.embedded()).start();
      }
      shared.text("FLUSHALL");
      shared.text("SCRIPT", "FLUSH");
      shared.text("CONFIG", "RESETSTAT");
      return shared;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private RedisServer(Builder options) throws IOException {
    this.options = options;
    port = options.port == 0 ? FreePorts.next() : options.port;
    folder = TempFolders.create();
    final List<String> lines = new ArrayList<>();
    lines.add("bind " + (options.hosts == null ? "127.0.0.1" : TwoHosts.SERVER_ADDRESS));
    if (options.hosts != null) {
      lines.add("protected-mode no"); // nobody but the other host reaches it
    }
    lines.add("dir " + folder);
    if (options.certificate != null) {
      lines.add("port 0");
      lines.add("tls-port " + port);
      lines.add("tls-auth-clients no");
      lines.add("tls-cert-file " + options.certificate.writeCertificate(folder));
      lines.add("tls-key-file " + options.certificate.writeKey(folder));
      lines.add("tls-ca-cert-file " + options.certificate.writeCertificate(folder));
      lines.add("tls-replication yes"); // also of a sentinel to all others
      if (options.lines.stream().anyMatch(line -> line.startsWith("cluster-enabled"))) {
        lines.add("tls-cluster yes");
      }
    } else {
      lines.add("port " + port);
    }
    if (options.unixSocket) {
      lines.add("unixsocket " + unixSocket());
    }
    if (!options.sentinel) {
      lines.add("save \"\"");
    }
    lines.addAll(options.lines);
    Files.write(folder.resolve("redis.conf"), lines);
    Files.createFile(logFile());
  }

  /** Options for a server of that binary. */
  public static Builder on(Path binary) {
    return new Builder(binary);
  }

  private void launch() throws IOException {
    final int seen = log().length();
    final List<String> command =
        new ArrayList<>(options.hosts == null ? List.of() : options.hosts.onServer());
    command.add(options.binary.toString());
    command.add(folder.resolve("redis.conf").toString());
    if (options.sentinel) {
      command.add("--sentinel");
    }
    final ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()));
    builder.environment().putAll(options.environment);
    process = TempFolders.start(folder, builder);
    paused = false;
    // Its own log, since whatever else took the port would answer a connection too.
    Await.until(
        "redis-server on port " + port,
        this::log,
        () -> {
          final boolean alive = process.isAlive();
          final String log = log().substring(seen);
          if (!alive) {
            throw new IllegalStateException("redis-server on port " + port + " ended\n" + log);
          }
          return log.contains(options.ready);
        });
  }

  public int port() {
    return port;
  }

  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** The default user's password; null for none. */
  String password() {
    return options.password;
  }

  /** The path of the Unix socket, if one was asked for. */
  public Path unixSocket() {
    return folder.resolve("redis.sock");
  }

  /** The output of the server since its first start. */
  public String log() {
    try {
      return Files.readString(logFile(), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path logFile() {
    return folder.resolve("log");
  }

  /** A new connection, over TLS and with the default user's password where they are set. */
  public RespClient connect() throws IOException {
    if (options.hosts != null) {
      return RespClient.connect(UnixDomainSocketAddress.of(unixSocket()));
    }
    final RespClient client =
        options.certificate == null
            ? RespClient.connect(address())
            : new RespClient(options.certificate.connect(address()));
    if (options.password != null) {
      client.text("AUTH", options.password);
    }
    return client;
  }

  /** One command on a connection of its own, as {@link RespClient#text}. */
  public String text(String... parts) throws IOException {
    try (RespClient client = connect()) {
      return client.text(parts);
    }
  }

  /** Whether the process lives and is not paused. */
  public boolean isRunning() {
    return process.isAlive() && !paused;
  }

  /** Ends it at once (SIGKILL), paused or not; connections break. Nothing if it has ended. */
  public void kill() {
    if (process == null) {
      return;
    }
    process.destroyForcibly();
    try {
      process.onExit().get(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException("redis-server on port " + port + " does not end", e);
    }
  }

  /** Stops it where it is (SIGSTOP): connections stay, and new ones are made, but none answers. */
  public void pause() throws IOException {
    signal("-STOP");
    paused = true;
    final Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
    // After the name, which may hold anything but ends with the last parenthesis.
    Await.until("SIGSTOP", this::log, () -> Files.readString(stat).matches("(?s).*\\) T .*"));
  }

  /** Lets it run on (SIGCONT); what was sent meanwhile is answered now. */
  public void resume() throws IOException {
    signal("-CONT");
    paused = false;
  }

  private void signal(String name) throws IOException {
    // The shell's own: a small system has no other.
    final Process kill =
        new ProcessBuilder("sh", "-c", "kill " + name + ' ' + process.pid()).inheritIO().start();
    if (kill.onExit().join().exitValue() != 0) {
      throw new IllegalStateException("kill " + name + ": redis-server on port " + port);
    }
  }

  /** Ends it if it lives and starts it on the same port, empty. */
  public void restart() throws IOException {
    kill();
    launch();
  }

  /** Ends it whatever its state, and deletes its folder. */
  @Override
  public void close() {
    kill();
    TempFolders.delete(folder);
  }

  @Override
  public String toString() {
    return "127.0.0.1:" + port;
  }
}

package dev.weir.bench.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A server of our own: a child process that listens on 127.0.0.1. Ends, with what it has started,
 * by {@link #close}, and with this process.
 */
public final class ServerProcess implements AutoCloseable {
  private static final long START_NS = TimeUnit.SECONDS.toNanos(60);
  private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long FINE_POLL_NS = TimeUnit.MICROSECONDS.toNanos(500);
  private static final int CONNECT_MS = 1_000;
  private static final int END_SECONDS = 5;

  /** Below those that the system gives to outgoing connections, and to whoever asks for any. */
  private static final int FIRST_PORT = 22_000;

  private static final int END_PORT = 32_000;
  private static final int PORT_ATTEMPTS = 1_000;

  private final String name;
  private final Process process;
  private final Path log;
  private final Thread ending = new Thread(this::endAtOnce);

  private ServerProcess(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
    Runtime.getRuntime().addShutdownHook(ending);
  }

  /**
   * Starts a server and waits until each of these ports of 127.0.0.1 takes connections.
   *
   * @param name in messages.
   * @param log where what it prints goes.
   * @throws IOException with what it printed, if it ends before, or takes too long.
   */
  public static ServerProcess start(String name, List<String> command, Path log, int... ports)
      throws IOException {
    final ServerProcess server = launch(name, command, log);
    try {
      for (int port : ports) {
        final InetSocketAddress address =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        server.await(() -> listens(address), POLL_NS);
      }
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /**
   * Starts a server, and neither waits for it nor connects to it.
   *
   * @param name in messages.
   * @param log where what it prints goes.
   */
  public static ServerProcess launch(String name, List<String> command, Path log)
      throws IOException {
    return new ServerProcess(
        name,
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectOutput(log.toFile())
            .start(),
        log);
  }

  /**
   * Waits until the system says that a port of 127.0.0.1 is listened on. Nobody connects for it:
   * the first who does may be what is measured.
   *
   * @throws IOException with what it printed, if it ends before, or takes too long.
   */
  public void awaitListening(int port) throws IOException {
    await(() -> ListeningPorts.include(port), FINE_POLL_NS);
  }

  /**
   * A port of 127.0.0.1 that nobody listens on now, and that nobody gets who does not ask for it.
   */
  public static int freePort() throws IOException {
    for (int i = 0; i < PORT_ATTEMPTS; i++) {
      final int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, END_PORT);
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return free.getLocalPort();
      } catch (BindException e) {
        // Somebody's.
        continue;
      }
    }
    throw new IOException("no free port from " + FIRST_PORT + " to " + (END_PORT - 1));
  }

  private void await(BooleanSupplier listens, long pollNs) throws IOException {
    final long startNs = System.nanoTime();
    while (true) {
      // Asked before the port is: another's could answer for one that has ended.
      final boolean alive = process.isAlive();
      if (alive && listens.getAsBoolean()) {
        return;
      }
      if (!alive || System.nanoTime() - startNs > START_NS) {
        throw new IOException(
            name
                + (alive ? " does not listen" : " ended with " + process.exitValue())
                + ": "
                + Files.readString(log, StandardCharsets.ISO_8859_1).strip());
      }
      LockSupport.parkNanos(pollNs);
    }
  }

  private static boolean listens(InetSocketAddress address) {
    try (Socket socket = new Socket()) {
      socket.connect(address, CONNECT_MS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  public long pid() {
    return process.pid();
  }

  /** The command as the system tells it: what it has become, where it was started by a script. */
  public String commandLine() {
    return process.info().commandLine().orElse("unknown");
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** The status that it ended with, 128 and more by a signal; empty while it lives. */
  public OptionalInt exitStatus() {
    return process.isAlive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
  }

  /** Ends it at once, as a crash does, and waits until it has; it may be started again. */
  public void kill() {
    process.destroyForcibly();
    close();
  }

  /**
   * Leaves it without processor time until {@link #resume}: it answers nothing, and its connections
   * stay.
   */
  public void suspend() throws IOException {
    signal("STOP");
  }

  public void resume() throws IOException {
    signal("CONT");
  }

  /**
   * Sends it a signal.
   *
   * @param name without {@code SIG}.
   */
  public void signal(String name) throws IOException {
    Programs.output(List.of("kill", "-" + name, Long.toString(pid())));
  }

  /** Asks it to end, and waits; what has not ended by then is ended. */
  @Override
  public void close() {
    // One that is ended at once leaves its children behind: they are known before.
    final List<ProcessHandle> children = process.descendants().toList();
    process.destroy();
    try {
      process.waitFor(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    awaitEnd(children);
    try {
      Runtime.getRuntime().removeShutdownHook(ending);
    } catch (IllegalStateException e) {
      // This process ends: the hook does the same.
    }
  }

  /** A process that was ended by force is gone a moment later. */
  private void awaitEnd(List<ProcessHandle> children) {
    final CompletableFuture<?>[] ends =
        Stream.concat(Stream.of(process.toHandle()), children.stream())
            .map(ProcessHandle::onExit)
            .toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(ends).get(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // Nothing more can be done about it.
      return;
    }
  }

  private void endAtOnce() {
    final List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
  }

  /** The ports of TCP that this machine's processes listen on, as Linux lists them. */
  static final class ListeningPorts {
    /** Sockets of IPv6 may be bound to addresses of IPv4 too. */
    private static final List<Path> LISTS =
        List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    private static final String LISTENING = "0A";

    private ListeningPorts() {}

    static boolean include(int port) {
      return LISTS.stream().anyMatch(list -> includes(lines(list), port));
    }

    private static List<String> lines(Path list) {
      try {
        return Files.readAllLines(list);
      } catch (NoSuchFileException e) {
        return List.of();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Whether lines as those of proc(5), /proc/net/tcp, have a socket that listens there. */
    static boolean includes(List<String> lines, int port) {
      final String suffix = String.format(Locale.ROOT, ":%04X", port);
      for (String line : lines) {
        final String[] fields = line.trim().split(" +");
        if (fields.length > 3 && fields[1].endsWith(suffix) && fields[3].equals(LISTENING)) {
          return true;
        }
      }
      return false;
    }
  }
}

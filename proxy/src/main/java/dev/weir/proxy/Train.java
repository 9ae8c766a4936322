package dev.weir.proxy;

import dev.weir.proxy.control.RuleReload;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * {@code weir train}: what the JVM watches while it makes its cache for quick starts. A sidecar
 * starts from a file, on the transport that is taken by itself, and one from flags, on that of
 * containers, whose seccomp has no io_uring; each warms up and ends. Nobody is served. No command
 * of the command line's reader, which a start does not load either: every class of the cache is
 * loaded by every start.
 */
final class Train {
  private static final int TIMEOUT_MS = 10_000;

  private static final String FLAGS =
      "run --upstream http://127.0.0.1:9 --listen 127.0.0.1:0 --admin 127.0.0.1:0 --limit 100/1s"
          + " --burst 20 --key header:x-user-id --transport ";

  private static final String FILE =
      """
      upstream: http://127.0.0.1:9
      listen: 127.0.0.1:0
      admin: 127.0.0.1:0
      rules:
        - id: orders
          match: {path: /api/v1/orders, methods: [POST]}
          key: [ip, header:x-user-id]
          limit: 10/1m
        - id: all
          match: {path: /**}
          limit: 100/1s
          burst: 20
      """;

  private final PrintWriter out;
  private final PrintWriter err;

  Train(PrintWriter out, PrintWriter err) {
    this.out = out;
    this.err = err;
  }

  /**
   * Both starts.
   *
   * @return the exit code.
   */
  int run() throws IOException, InterruptedException, StartException {
    Path file = Files.createTempFile("weir-train", ".yaml");
    try {
      Files.writeString(file, FILE);
      start("run", "-c", file.toString());
    } finally {
      Files.delete(file);
    }
    start((FLAGS + (hasEpoll() ? TransportKind.EPOLL : TransportKind.NIO)).split(" "));
    return WeirMain.OK;
  }

  private static boolean hasEpoll() {
    try {
      return Transport.of(TransportKind.EPOLL) == Transport.EPOLL;
    } catch (IllegalStateException missing) {
      return false;
    }
  }

  /** One start as {@code weir run} does it, to the end of its warm-up. */
  private void start(String... line) throws StartException, IOException, InterruptedException {
    RunArguments arguments = PlainArguments.read(line);
    Settings settings = new Run(out, err).settings(arguments);
    try (Sidecar sidecar = Sidecar.startWarm(settings)) {
      RuleReload reload =
          arguments.file() == null
              ? null
              : new RuleReload(arguments.file(), settings, sidecar.rules(), sidecar::publish);
      if (reload != null) {
        reload.start();
      }
      Run.stopSignals(() -> {});
      out.println(Run.startLine(sidecar, settings));
      out.flush();
      sidecar.awaitWarmUp();
      askAdmin(sidecar.adminAddress());
      if (reload != null) {
        reload.close();
      }
      sidecar.drain(settings.process().drainTimeoutNs());
    }
  }

  /** What probes and Prometheus ask. */
  private static void askAdmin(SocketAddress admin) throws IOException {
    try (DemoConnection connection = new DemoConnection((InetSocketAddress) admin, TIMEOUT_MS)) {
      for (String page : new String[] {"/readyz", "/healthz", "/metrics"}) {
        connection.send(page, null);
        connection.read();
      }
    }
  }
}

package dev.weir.bench.compare;

import dev.weir.bench.compare.Contender.Outcome;
import dev.weir.bench.compare.Contender.Site;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.WeirLauncher;
import dev.weir.proxy.loop.TransportKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The sidecar as users run it, by its launcher: the JDK and the flags of the JVM are those that it
 * chooses, WEIR_JAVA_HOME and WEIR_JAVA_OPTS included.
 */
final class WeirSidecar implements Contender {
  private final TransportKind transport;

  /** Folder of another version's launcher; null for the version of these classes. */
  private final Path earlier;

  /** Address of the admin port; null for none. */
  private final String admin;

  WeirSidecar(TransportKind transport) {
    this(transport, null, null);
  }

  private WeirSidecar(TransportKind transport, Path earlier, String admin) {
    this.transport = transport;
    this.earlier = earlier;
    this.admin = admin;
  }

  /** The sidecar of another version, on the same transport. */
  WeirSidecar earlier(Path folder) {
    return new WeirSidecar(transport, folder, admin);
  }

  /** The same sidecar with an admin port on 127.0.0.1. */
  WeirSidecar withAdmin(int port) {
    return new WeirSidecar(transport, earlier, "127.0.0.1:" + port);
  }

  @Override
  public String name() {
    return (earlier == null ? "weir-" : "earlier-") + transport;
  }

  @Override
  public boolean isPeer() {
    return earlier != null;
  }

  private Path program() throws IOException {
    return earlier == null ? WeirLauncher.required() : earlier.resolve("weir");
  }

  @Override
  public String version() throws IOException {
    return WeirLauncher.version(program());
  }

  @Override
  public String setUp(Site site) {
    return "./weir " + String.join(" ", arguments(site));
  }

  private List<String> arguments(Site site) {
    final List<String> arguments = new ArrayList<>(List.of("run"));
    if (site.wire().tls) {
      arguments.addAll(
          List.of(
              "--tls.certificate",
              site.certificate().chain().toString(),
              "--tls.key",
              site.certificate().key().toString()));
    }
    arguments.addAll(
        List.of(
            "--upstream",
            (site.wire().servedByHttp2() ? "h2c" : "http") + "://127.0.0.1:" + site.upstreamPort(),
            "--listen",
            (site.wire().tls ? "https://" : "") + "127.0.0.1:" + site.port(),
            "--admin",
            admin == null ? "off" : admin,
            "--event-loops",
            "1",
            "--transport",
            transport.toString(),
            "--timeouts.upstream-idle",
            "60s",
            "--limit",
            site.outcome() == Outcome.PASS ? "10000000/1s" : "1/1h",
            "--key",
            "header:x-user-id"));
    return arguments;
  }

  /** With the JVM's flags; its jar is relative to the launcher. */
  @Override
  public String runsAs(ServerProcess process) throws IOException {
    return process.commandLine().replace(program().getParent() + "/", "");
  }

  @Override
  public List<String> command(Site site) throws IOException {
    final List<String> command = new ArrayList<>(List.of(program().toString()));
    command.addAll(arguments(site));
    return command;
  }
}

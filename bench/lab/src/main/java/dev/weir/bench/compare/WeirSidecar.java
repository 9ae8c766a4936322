package dev.weir.bench.compare;

import dev.weir.bench.compare.Contender.Outcome;
import dev.weir.bench.compare.Contender.Site;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.WeirLauncher;
import dev.weir.proxy.loop.TransportKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The sidecar as users run it, by its launcher: the JDK and the flags of the JVM are those that it
 * chooses, WEIR_JAVA_HOME and WEIR_JAVA_OPTS included.
 */
final class WeirSidecar implements Contender {
  private static final String KEY = "header:x-user-id";

  private final TransportKind transport;

  /** Folder of another version's launcher; null for the version of these classes. */
  private final Path earlier;

  /** Address of the admin port. */
  private final String admin;

  /** More than one are in a file; the others are for paths that nobody asks for. */
  private final int ruleCount;

  WeirSidecar(TransportKind transport) {
    this(transport, null, "off", 1);
  }

  private WeirSidecar(TransportKind transport, Path earlier, String admin, int ruleCount) {
    this.transport = transport;
    this.earlier = earlier;
    this.admin = admin;
    this.ruleCount = ruleCount;
  }

  /** The sidecar of another version, on the same transport. */
  WeirSidecar earlier(Path folder) {
    return new WeirSidecar(transport, folder, admin, ruleCount);
  }

  /** The same sidecar with an admin port on 127.0.0.1. */
  WeirSidecar withAdmin(int port) {
    return new WeirSidecar(transport, earlier, "127.0.0.1:" + port, ruleCount);
  }

  /** This sidecar with another number of rules in its file. */
  WeirSidecar withRules(int count) {
    return new WeirSidecar(transport, earlier, admin, count);
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
    final String command = "./weir " + String.join(" ", arguments(site));
    return ruleCount == 1
        ? command
        : command + "\n" + file(site, 2) + "# and so on: " + ruleCount + " rules";
  }

  private List<String> arguments(Site site) {
    if (ruleCount > 1) {
      return List.of("run", "-c", path(site).toString());
    }
    final List<String> arguments = new ArrayList<>(List.of("run"));
    settings(site).forEach((name, value) -> arguments.addAll(List.of("--" + name, value)));
    arguments.addAll(List.of("--limit", limit(site), "--key", KEY));
    return arguments;
  }

  private static Path path(Site site) {
    return site.folder().resolve("weir.yaml");
  }

  private Map<String, String> settings(Site site) {
    final Map<String, String> settings = new LinkedHashMap<>();
    if (site.wire().tls) {
      settings.put("tls.certificate", site.certificate().chain().toString());
      settings.put("tls.key", site.certificate().key().toString());
    }
    settings.put(
        "upstream",
        (site.wire().servedByHttp2() ? "h2c" : "http") + "://127.0.0.1:" + site.upstreamPort());
    settings.put("listen", (site.wire().tls ? "https://" : "") + "127.0.0.1:" + site.port());
    settings.put("admin", admin);
    settings.put("event-loops", "1");
    settings.put("transport", transport.toString());
    settings.put("timeouts.upstream-idle", "60s");
    return settings;
  }

  private static String limit(Site site) {
    return site.outcome() == Outcome.PASS ? "10000000/1s" : "1/1h";
  }

  /** A settings file with the rule of all requests, and others up to a number. */
  private String file(Site site, int rules) {
    final StringBuilder file = new StringBuilder();
    String section = "";
    for (Map.Entry<String, String> setting : settings(site).entrySet()) {
      final String[] name = setting.getKey().split("\\.");
      if (name.length > 1 && !name[0].equals(section)) {
        section = name[0];
        file.append(section).append(":\n");
      }
      file.append(name.length > 1 ? "  " : "").append(name[name.length - 1]);
      file.append(": ").append(setting.getValue()).append('\n');
    }
    file.append("rules:\n- {id: all, limit: ").append(limit(site));
    file.append(", key: \"").append(KEY).append("\"}\n");
    for (int i = 1; i < rules; i++) {
      file.append("- {id: r").append(i).append(", match: {path: /r").append(i);
      file.append("/**}, limit: 100/1s}\n");
    }
    return file.toString();
  }

  /** With the JVM's flags; its jar is relative to the launcher. */
  @Override
  public String runsAs(ServerProcess process) throws IOException {
    return process.commandLine().replace(program().getParent() + "/", "");
  }

  @Override
  public List<String> command(Site site) throws IOException {
    if (ruleCount > 1) {
      Files.writeString(path(site), file(site, ruleCount));
    }
    final List<String> command = new ArrayList<>(List.of(program().toString()));
    command.addAll(arguments(site));
    return command;
  }
}

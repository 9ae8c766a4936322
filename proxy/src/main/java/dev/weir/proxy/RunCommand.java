package dev.weir.proxy;

import dev.weir.proxy.client.ListenerSettings;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.ProcessSettings;
import dev.weir.proxy.control.RuleReload;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.upstream.UpstreamProtocol;
import dev.weir.proxy.upstream.UpstreamSettings;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** {@code weir run}: from the start of a sidecar to its end. */
@Command(
    name = "run",
    description = "Runs the sidecar, with settings either from a file or from flags.",
    mixinStandardHelpOptions = true,
    versionProvider = WeirMain.Version.class,
    sortOptions = false,
    customSynopsis = {
      "weir run -c FILE",
      "       weir run --upstream URL [--limit RATE [--burst COUNT] [--key KEY]] [FLAG...]",
      "       weir run --decision [ADDRESS] [--limit RATE] [FLAG...]"
    },
    footer = {
      "",
      "SIGTERM, SIGINT: finish the requests in flight, then end; a second one ends at once.",
      "SIGHUP: read the rules in FILE again (they are also read when the file changes).",
      "",
      "A file says more than flags can: several rules, each for its own paths. See",
      "deploy/examples/weir.yaml for every setting."
    })
final class RunCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);

  @Spec private CommandSpec spec;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Settings and rules in YAML; not together with the flags below.")
  private Path file;

  @Unmatched private List<String> unknown = new ArrayList<>();

  @Override
  public Integer call() throws InterruptedException {
    Settings settings = settings();
    if (settings == null) {
      return WeirMain.WRONG;
    }
    Sidecar sidecar;
    try {
      sidecar = Sidecar.start(settings);
    } catch (StartException fault) {
      err().println("weir: " + fault.getMessage());
      return WeirMain.WRONG;
    }
    try (sidecar) {
      LOG.info("{}; rules: {}", WeirMain.Version.text(), sidecar.rules().rules().size());
      LOG.info("{}", sidecar.memory());
      RuleReload reload = null;
      if (file != null) {
        reload = new RuleReload(file, settings, sidecar.rules(), sidecar::publish);
        reload.start();
      }
      RuleReload rules = reload;
      CountDownLatch stop =
          stopSignals(
              rules == null
                      && !settings.rateLimits().isConfigured()
                      && settings.decision().tokens() == null
                  ? null
                  : () -> {
                    if (rules != null) {
                      rules.reload();
                    }
                    sidecar.reloadRateLimits();
                    sidecar.reloadCertificates();
                    sidecar.reloadTokens();
                  });
      out().println(startLine(sidecar, settings));
      out().flush();
      stop.await();
      if (reload != null) {
        reload.close();
      }
      drain(sidecar, settings.process());
    }
    return WeirMain.OK;
  }

  /** The settings from the file or the flags; null, and every fault told, if there is one. */
  private Settings settings() {
    List<String> problems = new ArrayList<>();
    boolean isValue = false;
    for (String argument : unknown) {
      if (argument.startsWith("-")) {
        String nearest = RunFlags.nearest(argument);
        problems.add(
            argument
                + ": unknown flag"
                + (nearest == null ? "" : " (did you mean " + nearest + "?)"));
      } else if (!isValue) {
        problems.add(argument + ": unexpected (expected: flags only)");
      }
      isValue = argument.startsWith("-") && argument.indexOf('=') < 0;
    }
    Map<String, String> flags = RunFlags.given(spec.commandLine().getParseResult(), problems);
    Settings settings;
    if (file == null) {
      Faults faults = Faults.ofFlags();
      settings = SettingsFlags.read(flags, faults);
      add(problems, faults);
    } else {
      Faults faults = Faults.ofFile(file.toString());
      settings = new SettingsFile().read(file, faults);
      add(problems, faults);
      for (String flag : flags.keySet()) {
        problems.add(
            flag + ": together with -c (expected: " + flag.substring(2) + " in " + file + ")");
      }
    }
    if (problems.isEmpty()) {
      return settings;
    }
    problems.forEach(err()::println);
    WeirMain.pointToHelp(spec.commandLine());
    return null;
  }

  private void add(List<String> problems, Faults faults) {
    faults.warnings().forEach(err()::println);
    if (!faults.isEmpty()) {
      problems.add(faults.toString());
    }
  }

  /**
   * Open until the first signal that ends the process; the second one does not ask.
   *
   * @param reload what SIGHUP does; null if it ends the process too.
   */
  static CountDownLatch stopSignals(Runnable reload) {
    CountDownLatch stop = new CountDownLatch(1);
    AtomicBoolean asked = new AtomicBoolean();
    onStop("TERM", ProcessSignals.TERM, asked, stop);
    onStop("INT", ProcessSignals.INT, asked, stop);
    if (reload == null) {
      // Nothing to read again: the terminal that it was started from has gone.
      onStop("HUP", ProcessSignals.HUP, asked, stop);
    } else {
      ProcessSignals.handle("HUP", reload);
    }
    return stop;
  }

  private static void onStop(String name, int number, AtomicBoolean asked, CountDownLatch stop) {
    boolean possible =
        ProcessSignals.handle(
            name,
            () -> {
              if (asked.getAndSet(true)) {
                Runtime.getRuntime().halt(128 + number);
              }
              LOG.info("SIG{}: finishing requests in flight", name);
              stop.countDown();
            });
    if (!possible) {
      LOG.warn("SIG{} is not ours to handle: it ends requests in flight", name);
    }
  }

  private static void drain(Sidecar sidecar, ProcessSettings settings) {
    if (settings.drainGraceNs() > 0) {
      LOG.info(
          "not ready any more, serving on for {} ms",
          TimeUnit.NANOSECONDS.toMillis(settings.drainGraceNs()));
    }
    long timeoutNs = settings.drainTimeoutNs();
    if (sidecar.drain(timeoutNs)) {
      LOG.info("all requests finished");
    } else {
      LOG.warn(
          "not all requests finished in {} ms, ended", TimeUnit.NANOSECONDS.toMillis(timeoutNs));
    }
  }

  private static String startLine(Sidecar sidecar, Settings settings) {
    int loops = settings.process().eventLoopCount();
    SocketAddress admin = sidecar.adminAddress();
    SocketAddress monitoring = sidecar.monitoringAddress();
    return "weir: "
        + doingText(sidecar, settings)
        + " ("
        + sidecar.transport()
        + ", "
        + (loops == 1 ? "1 event loop" : loops + " event loops")
        + ")"
        + (admin == null ? "" : ", admin " + text(admin))
        + (monitoring == null ? "" : ", monitoring " + text(monitoring));
  }

  private static String doingText(Sidecar sidecar, Settings settings) {
    List<String> doing = new ArrayList<>();
    if (settings.isProxying()) {
      String from = listenText(sidecar.listenAddresses(), settings.client().listeners());
      doing.add("proxying " + from + " -> " + text(settings.upstream()));
    }
    if (settings.decision().isConfigured()) {
      doing.add(
          "deciding at "
              + listenText(sidecar.decisionAddresses(), settings.decision().listeners()));
    }
    return String.join(", ", doing);
  }

  private static String text(UpstreamSettings upstream) {
    UpstreamProtocol protocol = upstream.protocol();
    String address = text(upstream.address());
    return upstream.address() instanceof InetSocketAddress
        ? address.replaceFirst("^http://", protocol.scheme())
        : address.replaceFirst("^unix:", protocol.socketScheme());
  }

  private static String listenText(
      List<SocketAddress> addresses, List<ListenerSettings> listeners) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < addresses.size(); i++) {
      String text = text(addresses.get(i));
      boolean isPlain = listeners.get(i).tls() == null;
      texts.add(isPlain ? text : text.replaceFirst("^http:", "https:"));
    }
    return String.join(", ", texts);
  }

  /**
   * An address as it would be typed: {@code http://127.0.0.1:8000}, {@code unix:/run/weir.sock}.
   */
  static String text(SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet)) {
      return "unix:" + address;
    }
    String host = inet.isUnresolved() ? inet.getHostString() : inet.getAddress().getHostAddress();
    return "http://" + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + inet.getPort();
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }
}

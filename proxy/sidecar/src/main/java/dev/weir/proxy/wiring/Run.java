package dev.weir.proxy.wiring;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.ProcessSettings;
import dev.weir.proxy.control.RuleReload;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.loop.Addresses;
import dev.weir.proxy.upstream.UpstreamSettings;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A sidecar from its start to its end. */
public final class Run {
  private static final Logger LOG = LoggerFactory.getLogger(Run.class);

  private final PrintWriter out;
  private final PrintWriter err;

  /**
   * @param out gets the addresses when requests are served.
   * @param err gets the reasons why a start fails.
   */
  public Run(PrintWriter out, PrintWriter err) {
    this.out = out;
    this.err = err;
  }

  /**
   * Starts a sidecar and returns when it has ended.
   *
   * @return the exit code.
   */
  public int run(RunArguments arguments) throws InterruptedException {
    Settings settings = settings(arguments);
    if (settings == null) {
      return Program.WRONG;
    }
    Sidecar sidecar;
    try {
      sidecar = Sidecar.startWarm(settings);
    } catch (StartException fault) {
      err.println("weir: " + fault.getMessage());
      return Program.WRONG;
    }
    try (StopDeadline deadline = new StopDeadline(settings.process());
        sidecar) {
      LOG.info("{}; rules: {}", Program.version(), sidecar.rules().rules().size());
      LOG.info("{}", sidecar.memory());
      RuleReload reload = null;
      if (arguments.file() != null) {
        reload =
            new RuleReload(arguments.file(), settings, sidecar.ruleReloads(), sidecar.ruleChoice());
        reload.start();
        sidecar.follow(reload);
      }
      CountDownLatch stop = stopSignals(sidecar.hasFiles() ? sidecar::reload : null);
      out.println(startLine(sidecar, settings));
      out.flush();
      stop.await();
      deadline.begin();
      if (reload != null) {
        reload.close();
      }
      drain(sidecar, settings.process());
    }
    return Program.OK;
  }

  /**
   * The settings from the file or the flags; null if there is a fault, after all faults were
   * reported.
   */
  public Settings settings(RunArguments arguments) {
    List<String> problems = new ArrayList<>(arguments.problems());
    Path file = arguments.file();
    Settings settings;
    if (file == null) {
      Faults faults = Faults.ofFlags();
      settings = SettingsFlags.read(arguments.flags(), faults);
      add(problems, faults);
    } else {
      Faults faults = Faults.ofFile(file.toString());
      settings = new SettingsFile().read(file, faults);
      add(problems, faults);
      for (String flag : arguments.flags().keySet()) {
        problems.add(
            flag + ": together with -c (expected: " + flag.substring(2) + " in " + file + ")");
      }
    }
    if (problems.isEmpty()) {
      return settings;
    }
    problems.forEach(err::println);
    Program.pointToHelp(err, "weir run");
    return null;
  }

  private void add(List<String> problems, Faults faults) {
    faults.warnings().forEach(err::println);
    if (!faults.isEmpty()) {
      problems.add(faults.toString());
    }
  }

  /**
   * Open until the first signal that ends the process; the second one does not ask.
   *
   * @param reload what SIGHUP does; null if it ends the process too.
   */
  public static CountDownLatch stopSignals(Runnable reload) {
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
              stop.countDown();
              LOG.info("SIG{}: finishing requests in flight", name);
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

  public static String startLine(Sidecar sidecar, Settings settings) {
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
    return upstream.address() instanceof InetSocketAddress
        ? upstream.protocol().scheme() + Addresses.text(upstream.address())
        : upstream.protocol().socketScheme() + upstream.address();
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
  public static String text(SocketAddress address) {
    String text = Addresses.text(address);
    return address instanceof InetSocketAddress ? "http://" + text : text;
  }
}

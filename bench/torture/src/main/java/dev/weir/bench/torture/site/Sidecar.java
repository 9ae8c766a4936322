package dev.weir.bench.torture.site;

import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.RulePlan;
import dev.weir.bench.torture.traffic.Target;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One of the sidecars: the process that it is now, and those that it was. Any thread may ask for
 * the target; one alone does the rest.
 */
final class Sidecar implements AutoCloseable {
  private static final AtomicInteger LIVES = new AtomicInteger();
  private static final long RELOAD_SECONDS = 30;
  private static final long RELOAD_NS = TimeUnit.SECONDS.toNanos(RELOAD_SECONDS);

  /** The bound on a sidecar's address space: three times that of one without clients. */
  private static final long ADDRESS_SPACE_KIB = 8L << 20;

  private final int number;
  private final Path launcher;
  private final Path folder;
  private final String settings;
  private final DayClock clock;
  private final SmallDisk logs;
  private final List<Life> lives = new ArrayList<>();
  private volatile Life present;

  /**
   * @param folder for its files, there and empty.
   * @param settings all but its own addresses, its latency log and the rules.
   * @param clock of each process.
   * @param logs of each process, which end when this does.
   */
  Sidecar(int number, Path launcher, Path folder, String settings, DayClock clock, SmallDisk logs) {
    this.number = number;
    this.launcher = launcher;
    this.folder = folder;
    this.settings = settings;
    this.clock = clock;
    this.logs = logs;
  }

  Target target() {
    return present.target();
  }

  Life present() {
    return present;
  }

  List<Life> lives() {
    return List.copyOf(lives);
  }

  /** Starts it on ports of its own, beside the process that it is now. */
  void start(List<RulePlan> rules) throws IOException {
    final int life = LIVES.incrementAndGet();
    final Target target =
        new Target(
            number,
            life,
            ServerProcess.freePort(),
            ServerProcess.freePort(),
            ServerProcess.freePort());
    final int adminPort = ServerProcess.freePort();
    final Path log = logs.folder().resolve("log-" + life);
    write(target, adminPort, RulePlan.yaml(rules));
    final ServerProcess process =
        ServerProcess.start(
            "weir",
            command(target),
            log,
            target.port(),
            target.tlsPort(),
            target.decisionPort(),
            adminPort);
    present = new Life(target, adminPort, log, process);
    lives.add(present);
  }

  private List<String> command(Target target) {
    final List<String> command = new ArrayList<>();
    // A sidecar that keeps what it should not ends before the machine does.
    final String limited = "ulimit -v " + ADDRESS_SPACE_KIB + " && exec \"$@\"";
    command.addAll(List.of("sh", "-c", limited, "sh", "env"));
    // A shell in the background would have it ignore them.
    command.add("--default-signal=INT,HUP");
    clock.environment().forEach((name, value) -> command.add(name + "=" + value));
    command.add(launcher.toString());
    command.addAll(List.of("run", "-c", file(target).toString()));
    return command;
  }

  private Path file(Target target) {
    return folder.resolve("weir-" + target.life() + ".yaml");
  }

  private void write(Target target, int adminPort, String rules) throws IOException {
    final Path next = folder.resolve("next");
    Files.writeString(
        next,
        """
        listen: [127.0.0.1:%d, 'https://127.0.0.1:%d']
        decision: 127.0.0.1:%d
        admin: 127.0.0.1:%d
        latency-log: %s
        %s%s"""
            .formatted(
                target.port(),
                target.tlsPort(),
                target.decisionPort(),
                adminPort,
                logs.folder().resolve("latencies-" + target.life()),
                settings,
                rules));
    Files.move(next, file(target), StandardCopyOption.REPLACE_EXISTING);
  }

  /** Gives it other rules, without telling it. */
  void write(String rules) throws IOException {
    write(present.target(), present.adminPort(), rules);
  }

  /**
   * Tells it that its rules have changed, and waits until it has read them.
   *
   * @throws IOException if it has not within 30 s.
   */
  void reload(double reloadsBefore) throws IOException, InterruptedException {
    present.process().signal("HUP");
    final long beganNs = System.nanoTime();
    while (reloads() <= reloadsBefore) {
      if (System.nanoTime() - beganNs > RELOAD_NS) {
        throw new IOException(
            "sidecar " + number + " has not read its rules " + RELOAD_SECONDS + " s after SIGHUP");
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  /** How often it has read its rules again; waits while the machine is too busy for it to say. */
  double reloads() throws IOException {
    final long beganNs = System.nanoTime();
    while (true) {
      try {
        return present.metric("weir_rules_reloads_total");
      } catch (SocketTimeoutException e) {
        if (System.nanoTime() - beganNs > RELOAD_NS) {
          throw e;
        }
      }
    }
  }

  /** Sets the time of day for a while. */
  void setClock(long aheadNs, long lastsMs) throws IOException, InterruptedException {
    clock.set(aheadNs);
    TimeUnit.MILLISECONDS.sleep(lastsMs);
    clock.set(0);
  }

  /** Leaves no room for logs for a while. */
  void fillLogs(long lastsMs) throws IOException, InterruptedException {
    logs.fill();
    TimeUnit.MILLISECONDS.sleep(lastsMs);
    logs.free();
  }

  /** Whether a fault can happen on this machine. */
  boolean canHappen(FaultPlan.Kind fault) {
    return switch (fault) {
      case SIDECAR_CLOCK_SET -> clock.canBeSet();
      case LOGS_FULL -> logs.canBeFilled();
      default -> true;
    };
  }

  @Override
  public void close() {
    lives.forEach(Life::close);
    logs.close();
  }
}

package dev.weir.proxy.control;

import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.watch.FileFollower;
import dev.weir.proxy.watch.Reloads;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a settings file while it is in use, and publishes its rules when they change, within
 * about a second.
 *
 * <p>The last good rules stay while the file has faults or is gone. Unchanged limits keep their
 * budgets, changed ones take over what was used. Only rules change at run time; other differences
 * are logged as waiting for a restart.
 */
public final class RuleReload implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RuleReload.class);
  private final SettingsFile reader = new SettingsFile();
  private final Path path;
  private final Settings running;
  private final RuleChoice rules;
  private final Reloads reloads;
  private final FileFollower<SettingsReading> follower;
  private volatile List<String> waiting = List.of();

  /** The file as it was read last without a fault; null if it never was. */
  private volatile byte[] good;

  /** The last reading; null before the first. */
  private SettingsReading last;

  /** Follows a file with a count of reloads of its own. */
  RuleReload(Path path, Settings running, RuleChoice rules) {
    this(path, running, new Reloads(), rules);
  }

  /**
   * @param path also the name by which faults call the file.
   * @param running what the process was started with.
   * @param reloads is told of each reload.
   * @param rules changed by the thread that polls or reloads; never by two at once.
   */
  public RuleReload(Path path, Settings running, Reloads reloads, RuleChoice rules) {
    this.path = path;
    this.reloads = reloads;
    this.running = running;
    this.rules = rules;
    SettingsReading read = read();
    boolean isInUse = isInUse(read);
    good = isInUse ? read.content() : null;
    follower =
        new FileFollower<>(
            this::read, SettingsReading::isSame, this::take, reloads, isInUse ? read : null, read);
  }

  private SettingsReading read() {
    last = SettingsReading.withParts(path, last);
    return last;
  }

  /** False if the file changed after the process read it at its start. */
  private boolean isInUse(SettingsReading read) {
    Settings settings =
        read.content() == null ? null : reader.read(read.content(), Faults.ofFile(path.toString()));
    return settings != null && settings.rules().equals(running.rules());
  }

  /** Starts to watch, on a thread of its own that does not keep the process alive. */
  public void start() {
    follower.start("weir-reload", "rules not reloaded from " + path);
  }

  /** Reads the file once; takes a new content that was read twice in a row. */
  void poll() {
    follower.poll();
  }

  /**
   * Reads the file now, changed or not: for SIGHUP and the like. Any thread.
   *
   * @return the faults; empty if the rules in the file are now the ones in use.
   */
  public Faults reload() {
    return follower.reload().faults();
  }

  /** Reloads as {@link #reload} does; returns the faults by their places in the file. */
  public List<RecordedFault> reloadAndTell() {
    return reload().all().stream().map(RecordedFault::ofDocument).toList();
  }

  private void take(SettingsReading read) {
    Faults faults = read.faults();
    Settings settings =
        read.content() == null
            ? null
            : reader.readAgain(read.content(), faults, running, rules.beforeFile());
    faults.warnings().forEach(warning -> LOG.warn("{}", warning));
    if (settings == null) {
      reloads.rejected();
      LOG.error("rules not reloaded, the last good ones stay:\n{}", faults);
      return;
    }
    good = read.content();
    reportWaiting(running.differencesUntilRestart(settings));
    boolean isInUse = rules.useFile(settings.rules());
    String taken = reloads.taken();
    if (isInUse) {
      LOG.info("rules reloaded from {}: {} in use{}", path, current().rules().size(), taken);
    } else {
      LOG.info("rules read from {}{}: not in use, as there are recorded ones", path, taken);
    }
  }

  private void reportWaiting(List<String> parts) {
    if (!parts.isEmpty() && !parts.equals(waiting)) {
      LOG.warn("changed in {} but in use only after a restart: {}", path, String.join(", ", parts));
    }
    waiting = parts;
  }

  /** The settings in which the file differs from the process until it is restarted. */
  public List<String> waitingForRestart() {
    return waiting;
  }

  /** The rules of the file as it was read last without a fault; null if it never was. */
  public RecordSet records() {
    byte[] content = good;
    return content == null ? null : RecordedRules.ofFile(content, Faults.ofFile(path.toString()));
  }

  /** How often the file was read again, and whether it is in use. */
  Reloads reloads() {
    return reloads;
  }

  /** The rules in use. */
  public RuleSet current() {
    return rules.rules();
  }

  /** Stops watching. */
  @Override
  public void close() {
    follower.close();
  }
}

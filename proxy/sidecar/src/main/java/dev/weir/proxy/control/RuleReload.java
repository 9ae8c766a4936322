package dev.weir.proxy.control;

import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.watch.Reloads;
import dev.weir.proxy.watch.SettledContent;
import dev.weir.proxy.watch.WatchThread;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a settings file while it is in use, and publishes its rules when they change.
 *
 * <p>The file's content is compared every half a second, and a new one counts when it was read
 * twice in a row: a change bites within a second or so.
 *
 * <p>The last good set stays while the file has faults or is gone. Limits that did not change go
 * on, those that did take over what was consumed. Only rules change at run time: other differences
 * are logged as waiting for a restart.
 */
public final class RuleReload implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RuleReload.class);
  private static final long POLL_INTERVAL_NS = 500_000_000;

  private final SettingsFile reader = new SettingsFile();
  private final Path path;
  private final Settings running;
  private final RulesInUse rules;
  private final Reloads reloads;
  private List<String> waiting = List.of();
  private final SettledContent<byte[]> content;
  private final WatchThread thread;

  /** Follows a file with a count of reloads of its own. */
  RuleReload(Path path, Settings running, RulesInUse rules) {
    this(path, running, new Reloads(), rules);
  }

  /**
   * @param path also the name by which faults call the file.
   * @param running what the process was started with.
   * @param reloads is told of each reload.
   * @param rules changed by the thread that polls or reloads; never by two at once.
   */
  public RuleReload(Path path, Settings running, Reloads reloads, RulesInUse rules) {
    this.path = path;
    this.reloads = reloads;
    this.running = running;
    this.rules = rules;
    byte[] read = SettingsFile.content(path, Faults.ofFile(path.toString()));
    byte[] inUse = read != null && isInUse(read) ? read : null;
    content = new SettledContent<>(Arrays::equals, inUse, read);
    thread =
        new WatchThread(
            "weir-reload", POLL_INTERVAL_NS, this::poll, "rules not reloaded from " + path);
  }

  /** False if the file changed after the process read it at its start. */
  private boolean isInUse(byte[] read) {
    Settings settings = reader.read(read, Faults.ofFile(path.toString()));
    return settings != null && settings.rules().equals(running.rules());
  }

  /** Starts to watch, on a thread of its own that does not keep the process alive. */
  public void start() {
    thread.start();
  }

  /** Looks at the file once; reloads if it holds the same new content as the last time. */
  synchronized void poll() {
    Faults faults = Faults.ofFile(path.toString());
    byte[] read = SettingsFile.content(path, faults);
    if (content.isNew(compared(read, faults))) {
      reload(read, faults);
    }
  }

  /**
   * Reads the file now, changed or not: for SIGHUP and the like. Any thread.
   *
   * @return the faults; empty if the rules in the file are now the ones in use.
   */
  public synchronized Faults reload() {
    Faults faults = Faults.ofFile(path.toString());
    byte[] read = SettingsFile.content(path, faults);
    content.know(compared(read, faults));
    reload(read, faults);
    return faults;
  }

  /** What was read, or else why nothing was: another reason is told anew. */
  private static byte[] compared(byte[] read, Faults faults) {
    return read != null ? read : faults.toString().getBytes(StandardCharsets.UTF_8);
  }

  private void reload(byte[] read, Faults faults) {
    try {
      take(read, faults);
    } catch (RuntimeException | Error bug) {
      reloads.rejected();
      throw bug;
    }
  }

  private void take(byte[] read, Faults faults) {
    Settings settings =
        read == null ? null : reader.readAgain(read, faults, running.ringCells(), rules.rules());
    faults.warnings().forEach(warning -> LOG.warn("{}", warning));
    if (settings == null) {
      reloads.rejected();
      LOG.error("rules not reloaded, the last good ones stay:\n{}", faults);
      return;
    }
    reportWaiting(running.differencesUntilRestart(settings));
    RuleSet next = rules.change(settings.rules()::compile);
    LOG.info("rules reloaded from {}: {} in use{}", path, next.rules().size(), reloads.taken());
  }

  private void reportWaiting(List<String> parts) {
    if (!parts.isEmpty() && !parts.equals(waiting)) {
      LOG.warn("changed in {} but in use only after a restart: {}", path, String.join(", ", parts));
    }
    waiting = parts;
  }

  /** The settings in which the file differs from the process until it is restarted. */
  public synchronized List<String> waitingForRestart() {
    return waiting;
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
    thread.close();
  }
}

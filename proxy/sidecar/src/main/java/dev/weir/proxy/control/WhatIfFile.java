package dev.weir.proxy.control;

import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.watch.FileFollower;
import dev.weir.proxy.watch.Reloads;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the file of a candidate, whose rules are read as those of a reload are. A file with
 * faults is told and changes nothing: the last good candidate stays, or there is none.
 */
public final class WhatIfFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WhatIfFile.class);

  private final SettingsFile reader = new SettingsFile();
  private final Path path;
  private final Settings running;
  private final Reloads reloads;
  private final Use use;
  private final FileFollower<SettingsReading> follower;

  /** The rules in use; null as long as there are none. */
  private RuleSource inUse;

  /** Takes rules into use. */
  @FunctionalInterface
  public interface Use {
    /**
     * @throws IOException if a file that they name cannot be used; its message says which and why.
     */
    void take(RuleSource rules) throws IOException;
  }

  /**
   * @param running what the process was started with: the candidate has the same store, keys of
   *     tokens and trusted proxies, and no longer rings.
   * @param reloads is told of each reading.
   * @param use is called when the rules of the file have changed; by one thread at a time.
   */
  public WhatIfFile(Path path, Settings running, Reloads reloads, Use use) {
    this.path = path;
    this.running = running;
    this.reloads = reloads;
    this.use = use;
    follower =
        new FileFollower<>(
            () -> SettingsReading.of(path),
            SettingsReading::isSame,
            this::take,
            reloads,
            null,
            null);
  }

  /** Takes the file as it is now, and follows it from now on. */
  public void start() {
    try {
      follower.reload();
    } catch (RuntimeException bug) {
      LOG.error("what-if: no candidate for the rules, there is none:", bug); // the rules go on
    }
    follower.start("weir-what-if", "what-if: not read again from " + path);
  }

  /** Reads the file now, changed or not. Any thread. */
  public void reload() {
    follower.reload();
  }

  /** Reads a candidate for a sidecar with some settings; null if there was a fault. */
  public static Settings read(Path path, Settings running, Faults faults) {
    byte[] content = SettingsFile.content(path, faults);
    return content == null
        ? null
        : new SettingsFile().readAgain(content, faults, running, RuleSet.EMPTY);
  }

  private void take(SettingsReading read) {
    Faults faults = read.faults();
    Settings settings =
        read.content() == null
            ? null
            : reader.readAgain(read.content(), faults, running, RuleSet.EMPTY);
    if (settings == null) {
      reject(faults.toString());
      return;
    }
    RuleSource rules = settings.rules();
    if (!rules.equals(inUse)) {
      try {
        use.take(rules);
      } catch (IOException unusable) {
        reject(unusable.getMessage());
        return;
      }
      faults.warnings().forEach(warning -> LOG.warn("what-if: {}", warning));
      LOG.info("what-if: {} rules of {} decide beside those in use", rules.rules().size(), path);
    }
    inUse = rules;
    reloads.taken();
  }

  private void reject(String faults) {
    reloads.rejected();
    String stays = inUse == null ? "there is none" : "the last good one stays";
    LOG.error("what-if: no candidate for the rules, {}:\n{}", stays, faults);
  }

  @Override
  public void close() {
    follower.close();
  }
}

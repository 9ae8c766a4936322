package dev.weir.proxy.envoy.file;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.watch.FileFollower;
import dev.weir.proxy.watch.Reloads;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a folder of files, and publishes a new configuration when names or contents change. If
 * one file has a fault, the last good configuration stays.
 */
public final class ConfigurationReload implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ConfigurationReload.class);

  private final ConfigurationFolder folder;
  private final Consumer<RateLimitConfiguration> listener;
  private final Reloads reloads = new Reloads();
  private final FileFollower<Reading> follower =
      new FileFollower<>(this::look, Reading::isSame, this::take, reloads, null, null);
  private RateLimitConfiguration inUse;

  /**
   * One reading of the folder.
   *
   * @param faults of files that could not be read; those of contents are added.
   * @param unread why files could not be read, which is compared too; empty if all could.
   */
  private record Reading(Map<Path, byte[]> files, List<Faults> faults, String unread) {
    static boolean isSame(Reading one, Reading other) {
      return one != null
          && other != null
          && one.unread.equals(other.unread)
          && one.files.keySet().equals(other.files.keySet())
          && one.files.entrySet().stream()
              .allMatch(file -> Arrays.equals(file.getValue(), other.files.get(file.getKey())));
    }
  }

  /**
   * @param listener gets each new configuration, from the thread that polls or reloads; never from
   *     two at once.
   */
  public ConfigurationReload(
      ConfigurationFolder folder, Consumer<RateLimitConfiguration> listener) {
    this.folder = folder;
    this.listener = listener;
  }

  /**
   * Reads the folder for the first time.
   *
   * @return all faults, one per line; empty if the configuration is in use.
   */
  public String load() {
    return read(follower.readNow());
  }

  private Reading look() {
    List<Faults> faults = new ArrayList<>();
    Map<Path, byte[]> files = folder.content(faults);
    return new Reading(files, faults, text(faults));
  }

  private static String text(List<Faults> faults) {
    return faults.stream()
        .flatMap(of -> of.all().stream())
        .map(Object::toString)
        .collect(Collectors.joining("\n"));
  }

  private String read(Reading reading) {
    RateLimitConfiguration read = folder.read(reading.files(), reading.faults(), inUse);
    if (read == null) {
      reloads.rejected();
      return text(reading.faults());
    }
    listener.accept(read);
    inUse = read;
    LOG.info("ratelimit: {} from {}{}", read, folder.path(), reloads.taken());
    return "";
  }

  /** Starts to watch, on a thread of its own that does not keep the process alive. */
  public void start() {
    follower.start("weir-ratelimit", "ratelimit: not reloaded from " + folder.path());
  }

  /** Reads the folder once; takes a new content that was read twice in a row. */
  void poll() {
    follower.poll();
  }

  /** Reads the folder now, changed or not: for SIGHUP. Any thread. */
  public void reload() {
    follower.reload();
  }

  private void take(Reading reading) {
    String problems = read(reading);
    if (!problems.isEmpty()) {
      LOG.error("ratelimit: not reloaded, the last good files stay in use:\n{}", problems);
    }
  }

  /**
   * How often the files were read, the first time included, and whether their last content is in
   * use.
   */
  public Reloads reloads() {
    return reloads;
  }

  /** Stops watching. */
  @Override
  public void close() {
    follower.close();
  }
}

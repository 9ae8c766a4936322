package dev.weir.proxy.envoy;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.watch.SettledContent;
import dev.weir.proxy.watch.WatchThread;
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
 * Follows a folder of files while it is in use, and publishes what they say when it changes.
 *
 * <p>Names and contents are compared every half a second, and a new content counts when it was read
 * twice in a row, as it is at the start and at SIGHUP. One bad file refuses all: what was good last
 * stays.
 */
public final class ConfigurationReload implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ConfigurationReload.class);
  private static final long POLL_INTERVAL_NS = 500_000_000;

  private final ConfigurationFolder folder;
  private final Consumer<RateLimitConfiguration> listener;
  private volatile long successCount;
  private volatile long failureCount;
  private final SettledContent<Map<Path, byte[]>> content =
      new SettledContent<>(ConfigurationReload::isSame, Map.of(), Map.of());
  private final WatchThread thread;

  /**
   * @param listener called with each new configuration, by the thread that polls or reloads; never
   *     by two at once.
   */
  public ConfigurationReload(
      ConfigurationFolder folder, Consumer<RateLimitConfiguration> listener) {
    this.folder = folder;
    this.listener = listener;
    thread =
        new WatchThread(
            "weir-ratelimit",
            POLL_INTERVAL_NS,
            this::poll,
            "ratelimit: not reloaded from " + folder.path());
  }

  /**
   * Reads the folder for the first time.
   *
   * @return all faults, one per line; empty if what it says is in use now.
   */
  public synchronized String load() {
    List<Faults> faults = new ArrayList<>();
    return read(readNow(faults), faults);
  }

  /** Reads the folder's content until it holds still; the faults are those of the last reading. */
  private Map<Path, byte[]> readNow(List<Faults> faults) {
    return content.readNow(
        () -> {
          faults.clear();
          return folder.content(faults);
        });
  }

  private String read(Map<Path, byte[]> files, List<Faults> faults) {
    RateLimitConfiguration read = folder.read(files, faults);
    if (read == null) {
      failureCount++;
      return faults.stream()
          .flatMap(of -> of.all().stream())
          .map(Object::toString)
          .collect(Collectors.joining("\n"));
    }
    successCount++;
    listener.accept(read);
    LOG.info("ratelimit: {} from {}", read, folder.path());
    return "";
  }

  /** Starts to watch, on a thread of its own that does not keep the process alive. */
  public void start() {
    thread.start();
  }

  /** Looks at the folder once; reloads if it holds the same new content as the last time. */
  synchronized void poll() {
    List<Faults> faults = new ArrayList<>();
    Map<Path, byte[]> files = folder.content(faults);
    if (content.isNew(files)) {
      reload(files, faults);
    }
  }

  /** Reads the folder now, changed or not: for SIGHUP. Any thread. */
  public synchronized void reload() {
    List<Faults> faults = new ArrayList<>();
    reload(readNow(faults), faults);
  }

  private void reload(Map<Path, byte[]> files, List<Faults> faults) {
    String problems = read(files, faults);
    if (!problems.isEmpty()) {
      LOG.error("ratelimit: not reloaded, the last good files stay in use:\n{}", problems);
    }
  }

  private static boolean isSame(Map<Path, byte[]> one, Map<Path, byte[]> other) {
    return one.keySet().equals(other.keySet())
        && one.entrySet().stream()
            .allMatch(entry -> Arrays.equals(entry.getValue(), other.get(entry.getKey())));
  }

  /** How often the files were read and taken. */
  public long successCount() {
    return successCount;
  }

  /** How often they had faults. */
  public long failureCount() {
    return failureCount;
  }

  /** Stops watching. */
  @Override
  public void close() {
    thread.close();
  }
}

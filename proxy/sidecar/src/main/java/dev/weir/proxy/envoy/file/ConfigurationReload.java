package dev.weir.proxy.envoy.file;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.watch.Reloads;
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
  private final Reloads reloads = new Reloads();
  private final SettledContent<Reading> content = new SettledContent<>(Reading::isSame, null, null);
  private final WatchThread thread;
  private RateLimitConfiguration inUse;

  /**
   * What a look at the folder finds.
   *
   * @param faults of what could not be read; those of what files say are added.
   * @param unread why what could not be read was not, which is compared too; empty if all was.
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
    return read(content.readNow(this::look));
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
    thread.start();
  }

  /** Looks at the folder once; reloads if it holds the same new content as the last time. */
  synchronized void poll() {
    Reading reading = look();
    if (content.isNew(reading)) {
      reload(reading);
    }
  }

  /** Reads the folder now, changed or not: for SIGHUP. Any thread. */
  public synchronized void reload() {
    reload(content.readNow(this::look));
  }

  private void reload(Reading reading) {
    String problems = read(reading);
    if (!problems.isEmpty()) {
      LOG.error("ratelimit: not reloaded, the last good files stay in use:\n{}", problems);
    }
  }

  /** How often the files were read, the first time too, and whether they are in use. */
  public Reloads reloads() {
    return reloads;
  }

  /** Stops watching. */
  @Override
  public void close() {
    thread.close();
  }
}

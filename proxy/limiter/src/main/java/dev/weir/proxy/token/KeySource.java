package dev.weir.proxy.token;

import dev.weir.proxy.watch.Reloads;
import java.io.IOException;

/** A source that a key set is read from, again and again. */
public interface KeySource extends AutoCloseable {
  /**
   * The source that settings name. A file has been read.
   *
   * @throws IOException if the file cannot be used; its message names the file and nothing in it.
   */
  static KeySource of(TokenSettings settings, TokenKeys keys) throws IOException {
    return settings.file() != null
        ? new KeySetFile(settings.file(), keys)
        : new KeySetUrl(settings.url(), keys, System::nanoTime);
  }

  /** Follows the source from now on. */
  void start();

  /** Reads the source again, changed or not: for SIGHUP. Any thread. */
  void reload();

  /** How often keys were read again, and whether the last ones are in use. */
  Reloads reloads();

  /** Follows the source no longer. */
  @Override
  void close();
}

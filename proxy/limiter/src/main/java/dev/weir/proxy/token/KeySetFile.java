package dev.weir.proxy.token;

import dev.weir.proxy.watch.FollowedFile;
import dev.weir.proxy.watch.Reloads;
import dev.weir.proxy.watch.SmallFile;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads a key set from a file, and follows it. */
final class KeySetFile implements KeySource {
  private static final Logger LOG = LoggerFactory.getLogger(KeySetFile.class);
  private static final FollowedFile.Kind KIND =
      new FollowedFile.Kind(LOG, "jwt.keys", "jwt", "key", "weir-jwt-keys", SmallFile.MAX_BYTES);

  private final Reloads reloads = new Reloads();
  private final FollowedFile file;

  /**
   * Reads the file for the first time.
   *
   * @throws IOException if it cannot be used; its message names the file and nothing in it.
   */
  KeySetFile(Path path, TokenKeys keys) throws IOException {
    file =
        new FollowedFile(
            path,
            KIND,
            reloads,
            content -> {
              try {
                keys.replace(KeySetReader.read(content));
              } catch (IOException fault) {
                throw new IOException(": " + fault.getMessage());
              }
              return keys.count();
            });
  }

  @Override
  public void start() {
    file.start();
  }

  /** Reads the file once; takes a new content that was read twice in a row. */
  void poll() {
    file.poll();
  }

  @Override
  public void reload() {
    file.reload();
  }

  @Override
  public Reloads reloads() {
    return reloads;
  }

  @Override
  public void close() {
    file.close();
  }
}

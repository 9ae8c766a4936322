package dev.weir.proxy.token;

import dev.weir.proxy.watch.FileFollower;
import dev.weir.proxy.watch.Reloads;
import dev.weir.proxy.watch.SmallFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a key set from a file, and follows it. While the file has faults, or is gone, the last good
 * keys stay.
 */
final class KeySetFile implements KeySource {
  private static final Logger LOG = LoggerFactory.getLogger(KeySetFile.class);

  private final Path file;
  private final TokenKeys keys;
  private final Reloads reloads = new Reloads();
  private final FileFollower<Reading> follower;

  /**
   * One reading of the file.
   *
   * @param content null if it could not be read.
   * @param fault why not.
   */
  private record Reading(byte[] content, String fault) {
    static Reading of(Path file) {
      try {
        return new Reading(SmallFile.read(file, "a file"), null);
      } catch (IOException unreadable) {
        return new Reading(null, unreadable.getMessage());
      }
    }

    boolean isSame(Reading other) {
      return Arrays.equals(content, other.content) && Objects.equals(fault, other.fault);
    }
  }

  /**
   * Reads the file for the first time.
   *
   * @throws IOException if it cannot be used; its message names the file and nothing in it.
   */
  KeySetFile(Path file, TokenKeys keys) throws IOException {
    this.file = file;
    this.keys = keys;
    Reading read = Reading.of(file);
    use(read);
    follower =
        new FileFollower<>(
            () -> Reading.of(file), Reading::isSame, this::take, reloads, read, read);
  }

  private void use(Reading read) throws IOException {
    try {
      if (read.content() == null) {
        throw new IOException(read.fault());
      }
      keys.replace(KeySetReader.read(read.content()));
    } catch (IOException fault) {
      throw new IOException("jwt.keys: " + file + ": " + fault.getMessage());
    }
  }

  @Override
  public void start() {
    follower.start("weir-jwt-keys", "jwt: keys not reloaded");
  }

  /** Reads the file once; takes a new content that was read twice in a row. */
  void poll() {
    follower.poll();
  }

  @Override
  public void reload() {
    follower.reload();
  }

  private void take(Reading read) {
    try {
      use(read);
      String count = keys.count() == 1 ? "1 key" : keys.count() + " keys";
      LOG.info("jwt: {} from {}{}", count, file, reloads.taken());
    } catch (IOException fault) {
      reloads.rejected();
      LOG.error("jwt: keys not reloaded, the last good ones stay: {}", fault.getMessage());
    }
  }

  @Override
  public Reloads reloads() {
    return reloads;
  }

  @Override
  public void close() {
    follower.close();
  }
}

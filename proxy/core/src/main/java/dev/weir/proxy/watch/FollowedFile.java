package dev.weir.proxy.watch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;

/**
 * A file in use: it is read at the start, and again when it has changed. While it has a fault, or
 * is gone, its last good content stays.
 */
public final class FollowedFile implements AutoCloseable {
  /**
   * A file that was changed longer ago than this is not read again until it changes once more.
   * Later changes have another time, also where a file system's clock is coarse.
   */
  private static final long SETTLED_MS = 3_000;

  private final Path file;
  private final Kind kind;
  private final Reloads reloads;
  private final Use use;
  private final FileFollower<Reading> follower;

  /** The last reading; null if the file is to be read whatever its stamp. */
  private Reading last;

  /** Takes contents into use. */
  @FunctionalInterface
  public interface Use {
    /**
     * Takes a content into use, whole or not at all. Run by one thread at a time.
     *
     * @return how many things there are in it.
     * @throws IOException if it has a fault; the message goes behind the file's name, as in {@code
     *     :7: not a token (expected: ...)}.
     */
    int use(byte[] content) throws IOException;
  }

  /**
   * Names for messages.
   *
   * @param setting that names the file, for faults.
   * @param topic of the log's lines.
   * @param thing of which a file holds some, such as {@code token}.
   * @param thread that follows the file.
   * @param maxBytes whole MiB.
   */
  public record Kind(
      Logger log, String setting, String topic, String thing, String thread, int maxBytes) {}

  /**
   * One reading of the file.
   *
   * @param stamp says that the file is the same if it is; null if nothing does.
   * @param content null if it could not be read.
   * @param fault why not.
   */
  private record Reading(List<Object> stamp, byte[] content, String fault) {
    static Reading of(Path file, int maxBytes, Reading before) {
      List<Object> stamp = stamp(file);
      if (stamp != null && before != null && stamp.equals(before.stamp)) {
        return before;
      }
      try {
        return new Reading(stamp, SmallFile.read(file, "a file", maxBytes), null);
      } catch (IOException unreadable) {
        return new Reading(null, null, ": " + unreadable.getMessage());
      }
    }

    private static List<Object> stamp(Path file) {
      try {
        BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
        long changedMs = found.lastModifiedTime().toMillis();
        Object key = found.fileKey();
        boolean isSettled = System.currentTimeMillis() - changedMs > SETTLED_MS && key != null;
        return isSettled ? List.of(key, found.size(), found.lastModifiedTime()) : null;
      } catch (IOException unreadable) {
        return null;
      }
    }

    boolean isSame(Reading other) {
      return this == other
          || Arrays.equals(content, other.content) && Objects.equals(fault, other.fault);
    }
  }

  /**
   * Reads a file for the first time; it is followed from {@link #start} on.
   *
   * @param reloads is told of each reload; the file is a part of it.
   * @throws IOException if the file cannot be used; its message names setting and file.
   */
  public FollowedFile(Path file, Kind kind, Reloads reloads, Use use) throws IOException {
    this.file = file;
    this.kind = kind;
    this.reloads = reloads;
    this.use = use;
    last = Reading.of(file, kind.maxBytes, null);
    use(last);
    follower = new FileFollower<>(this::read, Reading::isSame, this::take, reloads, last, last);
  }

  private int use(Reading read) throws IOException {
    try {
      if (read.content == null) {
        throw new IOException(read.fault);
      }
      return use.use(read.content);
    } catch (IOException fault) {
      throw new IOException(kind.setting + ": " + file + fault.getMessage());
    }
  }

  private Reading read() {
    last = Reading.of(file, kind.maxBytes, last);
    return last;
  }

  /** Follows the file from now on. */
  public void start() {
    follower.start(kind.thread, kind.topic + ": " + kind.thing + "s not reloaded from " + file);
  }

  /** Reads the file once; takes a new content that was read twice in a row. */
  public void poll() {
    follower.poll();
  }

  /** Reads the file now, changed or not: for SIGHUP. Any thread. */
  public void reload() {
    synchronized (follower) {
      last = null;
      follower.reload();
    }
  }

  private void take(Reading read) {
    try {
      int count = use(read);
      String things = count == 1 ? "1 " + kind.thing : count + " " + kind.thing + "s";
      kind.log.info("{}: {} from {}{}", kind.topic, things, file, reloads.taken(follower));
    } catch (IOException fault) {
      reloads.rejected(follower);
      kind.log.error(
          "{}: {}s not reloaded, the last good ones stay: {}",
          kind.topic,
          kind.thing,
          fault.getMessage());
    }
  }

  /** Follows the file no longer. */
  @Override
  public void close() {
    follower.close();
  }
}

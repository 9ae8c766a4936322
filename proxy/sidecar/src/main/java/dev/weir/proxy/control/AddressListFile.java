package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.Cidr;
import dev.weir.proxy.watch.FileFollower;
import dev.weir.proxy.watch.Reloads;
import dev.weir.proxy.watch.SmallFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a file of networks, one a line, and follows it. While the file has a fault, or is gone, its
 * last good networks stay. Empty lines are none, and nor is what stands behind {@code #}.
 */
public final class AddressListFile implements AutoCloseable {
  /** The most networks of a file. */
  static final int MOST_NETWORKS = 200_000;

  private static final Logger LOG = LoggerFactory.getLogger(AddressListFile.class);
  private static final int MOST_BYTES = 16 << 20;

  /**
   * A file that was changed longer ago than this is not read again until it changes once more.
   * Later changes have another time, also where a file system's clock is coarse.
   */
  private static final long SETTLED_MS = 3_000;

  private final Path file;
  private final Reloads reloads;
  private final Runnable changed;
  private final FileFollower<Reading> follower;
  private volatile List<Cidr> networks;

  /**
   * One reading of the file.
   *
   * @param stamp says that the file is the same if it is; null if nothing does.
   * @param content null if it could not be read.
   * @param fault why not.
   */
  private record Reading(List<Object> stamp, byte[] content, String fault) {
    static Reading of(Path file, Reading before) {
      List<Object> stamp = stamp(file);
      if (stamp != null && before != null && stamp.equals(before.stamp)) {
        return before;
      }
      try {
        return new Reading(stamp, SmallFile.read(file, "a file", MOST_BYTES), null);
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

  /** The last reading; null if the file is to be read whatever its stamp. */
  private Reading last;

  /**
   * Reads a file for the first time.
   *
   * @param reloads is told of each reload; the file is a part of it.
   * @param changed is run when {@link #networks} have changed, by one thread at a time.
   * @throws IOException if the file cannot be used; the message says which line.
   */
  public AddressListFile(Path file, Reloads reloads, Runnable changed) throws IOException {
    this.file = file;
    this.reloads = reloads;
    this.changed = changed;
    last = Reading.of(file, null);
    networks = networks(last);
    follower = new FileFollower<>(this::read, Reading::isSame, this::take, reloads, last, last);
  }

  private Reading read() {
    last = Reading.of(file, last);
    return last;
  }

  /** The networks in use. */
  public List<Cidr> networks() {
    return networks;
  }

  /** Follows the file from now on. */
  public void start() {
    follower.start("weir-lists", "lists: " + file + " not reloaded");
  }

  /** Reads the file once; takes a new content that was read twice in a row. */
  void poll() {
    follower.poll();
  }

  /** Reads the file now, changed or not. Any thread. */
  public void reload() {
    synchronized (follower) {
      last = null;
      follower.reload();
    }
  }

  private void take(Reading read) {
    try {
      networks = networks(read);
      changed.run();
      LOG.info("lists: {} networks from {}{}", networks.size(), file, reloads.taken(follower));
    } catch (IOException fault) {
      reloads.rejected(follower);
      LOG.error("lists: not reloaded, the last good networks stay: {}", fault.getMessage());
    }
  }

  private List<Cidr> networks(Reading read) throws IOException {
    if (read.content() == null) {
      throw new IOException(file + read.fault());
    }
    List<Cidr> found = new ArrayList<>();
    int number = 0;
    // Bytes beyond ASCII are in no network, and in comments they do not matter.
    String text = new String(read.content(), StandardCharsets.ISO_8859_1);
    for (String line : (Iterable<String>) text.lines()::iterator) {
      number++;
      int comment = line.indexOf('#');
      String network = (comment < 0 ? line : line.substring(0, comment)).strip();
      if (network.isEmpty()) {
        continue;
      }
      if (found.size() == MOST_NETWORKS) {
        throw fault(number, "one more network", "at most " + MOST_NETWORKS);
      }
      try {
        found.add(Cidr.parse(network));
      } catch (BadValueException bad) {
        throw fault(number, Faults.printable(bad.value()), bad.expected());
      }
    }
    return found;
  }

  private IOException fault(int line, String found, String expected) {
    return new IOException(file + ":" + line + ": " + found + " (expected: " + expected + ")");
  }

  /** Follows no longer. */
  @Override
  public void close() {
    follower.close();
  }
}

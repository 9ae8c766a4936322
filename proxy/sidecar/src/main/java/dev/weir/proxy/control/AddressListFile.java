package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.Cidr;
import dev.weir.proxy.watch.FollowedFile;
import dev.weir.proxy.watch.Reloads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a file of networks, one a line, and follows it. Empty lines are none, and nor is what
 * stands behind {@code #}.
 */
public final class AddressListFile implements AutoCloseable {
  /** The most networks of a file. */
  static final int MOST_NETWORKS = 200_000;

  private static final Logger LOG = LoggerFactory.getLogger(AddressListFile.class);
  private static final int MOST_BYTES = 16 << 20;

  private final Runnable changed;
  private final FollowedFile file;
  private volatile List<Cidr> networks;

  /**
   * Reads a file for the first time.
   *
   * @param setting that names the file.
   * @param reloads is told of each reload; the file is a part of it.
   * @param changed is run when {@link #networks} have changed, by one thread at a time.
   * @throws IOException if the file cannot be used; the message says which line.
   */
  public AddressListFile(String setting, Path path, Reloads reloads, Runnable changed)
      throws IOException {
    this.changed = changed;
    FollowedFile.Kind kind =
        new FollowedFile.Kind(LOG, setting, "lists", "network", "weir-lists", MOST_BYTES);
    file = new FollowedFile(path, kind, reloads, this::use);
  }

  private int use(byte[] content) throws IOException {
    boolean isFirst = networks == null;
    networks = read(content);
    if (!isFirst) {
      changed.run();
    }
    return networks.size();
  }

  /** The networks in use. */
  public List<Cidr> networks() {
    return networks;
  }

  /** Follows the file from now on. */
  public void start() {
    file.start();
  }

  /** Reads the file once; takes a new content that was read twice in a row. */
  void poll() {
    file.poll();
  }

  /** Reads the file now, changed or not. Any thread. */
  public void reload() {
    file.reload();
  }

  private static List<Cidr> read(byte[] content) throws IOException {
    List<Cidr> found = new ArrayList<>();
    int number = 0;
    // Bytes beyond ASCII are in no network, and in comments they do not matter.
    String text = new String(content, StandardCharsets.ISO_8859_1);
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

  private static IOException fault(int line, String found, String expected) {
    return new IOException(":" + line + ": " + found + " (expected: " + expected + ")");
  }

  /** Follows no longer. */
  @Override
  public void close() {
    file.close();
  }
}

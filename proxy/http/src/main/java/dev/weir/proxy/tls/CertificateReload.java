package dev.weir.proxy.tls;

import dev.weir.proxy.watch.FileFollower;
import dev.weir.proxy.watch.Reloads;
import dev.weir.proxy.watch.WatchThread;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the files of certificates and keys, and compares their contents every second. A key that
 * does not match its certificate is reported once the files have settled, and tried again at the
 * next change.
 */
public final class CertificateReload implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateReload.class);
  private static final long POLL_INTERVAL_NS = 1_000_000_000;

  private final List<? extends ReloadedFiles> users;
  private final List<FileFollower<byte[]>> followers = new ArrayList<>();
  private final Reloads reloads = new Reloads();

  private final WatchThread thread =
      new WatchThread("weir-tls", POLL_INTERVAL_NS, this::look, "tls: certificates not reloaded");

  /**
   * Follows files that have just been read.
   *
   * @param users each reads its files again by itself.
   */
  public CertificateReload(List<? extends ReloadedFiles> users) {
    this.users = List.copyOf(users);
    for (ReloadedFiles user : users) {
      byte[] read = digest(user.files());
      int part = followers.size();
      followers.add(
          new FileFollower<>(
              () -> digest(user.files()),
              Arrays::equals,
              changed -> reload(user, followers.get(part)),
              reloads,
              read,
              read));
    }
  }

  /** A digest of all the files' contents, so that no key is kept to be compared. */
  private static byte[] digest(List<Path> files) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Path file : files) {
        try {
          digest.update(MessageDigest.getInstance("SHA-256").digest(PemFile.content(file)));
        } catch (TlsFault unreadable) {
          digest.update(new byte[32]);
        }
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException(missing);
    }
  }

  /** Starts to watch, on a thread of its own that does not keep the process alive. */
  public void start() {
    if (hasFiles()) {
      thread.start();
    }
  }

  private void look() {
    pass(System.nanoTime());
    poll();
  }

  /** Tells all users the time. */
  synchronized void pass(long nowNs) {
    users.forEach(user -> user.pass(nowNs));
  }

  /** Looks at all files once; reads those again that hold the same new content as the last time. */
  synchronized void poll() {
    followers.forEach(FileFollower::poll);
  }

  /** Reads all files now, changed or not: for SIGHUP. Any thread. */
  public synchronized void reload() {
    followers.forEach(FileFollower::reload);
  }

  private void reload(ReloadedFiles user, Object part) {
    try {
      String now = user.reload();
      LOG.info("tls: reloaded: {}{}", now, reloads.taken(part));
    } catch (TlsFault fault) {
      reloads.rejected(part);
      LOG.error("tls: not reloaded, the last good ones stay: {}", fault.getMessage());
    }
  }

  /** How often files were reloaded, and whether their last contents are in use. */
  public Reloads reloads() {
    return reloads;
  }

  /** Whether there is a file to follow. */
  public boolean hasFiles() {
    return !users.isEmpty();
  }

  /** Stops watching. */
  @Override
  public void close() {
    thread.close();
  }
}

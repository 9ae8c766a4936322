package dev.weir.proxy.tls;

import dev.weir.proxy.watch.Reloads;
import dev.weir.proxy.watch.SettledContent;
import dev.weir.proxy.watch.WatchThread;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the files of certificates and keys while they are in use.
 *
 * <p>Their content is compared every second. A certificate and its key are two files that change
 * one after the other, so a new content counts when it was read twice in a row; a pair that does
 * not match even then is told, and looked at again at the next change.
 */
public final class CertificateReload implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateReload.class);
  private static final long POLL_INTERVAL_NS = 1_000_000_000;

  private final List<Followed> followed = new ArrayList<>();
  private final Reloads reloads = new Reloads();

  /** Those whose files cannot be used now. */
  private final Set<Followed> rejected = new HashSet<>();

  private final WatchThread thread =
      new WatchThread("weir-tls", POLL_INTERVAL_NS, this::look, "tls: certificates not reloaded");

  /** Files with a digest of what they hold. */
  private record Followed(ReloadedFiles files, SettledContent<byte[]> content) {
    static Followed of(ReloadedFiles files) {
      byte[] read = digest(files.files());
      return new Followed(files, new SettledContent<>(Arrays::equals, read, read));
    }
  }

  /**
   * Follows files that have just been read.
   *
   * @param users each reads its files again by itself.
   */
  public CertificateReload(List<? extends ReloadedFiles> users) {
    users.forEach(user -> followed.add(Followed.of(user)));
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
    if (!followed.isEmpty()) {
      thread.start();
    }
  }

  private void look() {
    pass(System.nanoTime());
    poll();
  }

  /** Tells all users the time. */
  synchronized void pass(long nowNs) {
    followed.forEach(each -> each.files.pass(nowNs));
  }

  /** Looks at all files once; reads those again that hold the same new content as the last time. */
  synchronized void poll() {
    for (Followed each : followed) {
      if (each.content.isNew(digest(each.files.files()))) {
        reload(each);
      }
    }
  }

  /** Reads all files now, changed or not: for SIGHUP. Any thread. */
  public synchronized void reload() {
    for (Followed each : followed) {
      each.content.know(digest(each.files.files()));
      reload(each);
    }
  }

  private void reload(Followed each) {
    boolean isTaken = false;
    try {
      String now = each.files.reload();
      isTaken = true;
      rejected.remove(each);
      LOG.info("tls: reloaded: {}{}", now, taken());
    } catch (TlsFault fault) {
      LOG.error("tls: not reloaded, the last good ones stay: {}", fault.getMessage());
    } finally {
      if (!isTaken) {
        rejected.add(each);
        reloads.rejected();
      }
    }
  }

  private String taken() {
    if (rejected.isEmpty()) {
      return reloads.taken();
    }
    reloads.takenInPart();
    return "";
  }

  /** How often files were read again, and whether all are in use. */
  public Reloads reloads() {
    return reloads;
  }

  /** Whether there is a file to follow. */
  public boolean hasFiles() {
    return !followed.isEmpty();
  }

  /** Stops watching. */
  @Override
  public void close() {
    thread.close();
  }
}

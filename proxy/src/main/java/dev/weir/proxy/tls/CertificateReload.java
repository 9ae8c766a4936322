package dev.weir.proxy.tls;

import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the files of certificates and keys while they are in use.
 *
 * <p>Their content is compared every second, whatever the directory says: that sees an editor's
 * rename and a symbolic link that Kubernetes swaps. A certificate and its key are two files that
 * change one after the other, so a new content counts when it was read twice in a row; a pair that
 * does not match even then is told, and looked at again at the next change.
 */
public final class CertificateReload implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateReload.class);
  private static final long POLL_INTERVAL_NS = 1_000_000_000;

  private final List<Followed> followed = new ArrayList<>();
  private final AtomicLong reloadCount = new AtomicLong();
  private final AtomicLong failureCount = new AtomicLong();
  private volatile boolean closed;
  private Thread thread;

  /** Files with what was seen of them. */
  private static final class Followed {
    final ReloadedFiles files;
    byte[] known;
    byte[] candidate;

    Followed(ReloadedFiles files) {
      this.files = files;
      this.known = digest(files.files());
      this.candidate = known;
    }
  }

  /**
   * Follows files that have just been read.
   *
   * @param users each reads its files again by itself.
   */
  public CertificateReload(List<? extends ReloadedFiles> users) {
    users.forEach(user -> followed.add(new Followed(user)));
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
  public synchronized void start() {
    if (!followed.isEmpty()) {
      thread = new Thread(this::watch, "weir-tls");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private void watch() {
    while (!closed) {
      LockSupport.parkNanos(POLL_INTERVAL_NS);
      try {
        pass(System.nanoTime());
        poll();
      } catch (RuntimeException unexpected) {
        LOG.error("tls: certificates not reloaded", unexpected);
      }
    }
  }

  /** Tells all users the time. */
  synchronized void pass(long nowNs) {
    followed.forEach(each -> each.files.pass(nowNs));
  }

  /** Looks at all files once; reads those again that hold the same new content as the last time. */
  synchronized void poll() {
    for (Followed each : followed) {
      byte[] seen = digest(each.files.files());
      boolean settled = Arrays.equals(seen, each.candidate);
      each.candidate = seen;
      if (settled && !Arrays.equals(seen, each.known)) {
        each.known = seen;
        reload(each);
      }
    }
  }

  /** Reads all files now, changed or not: for SIGHUP. Any thread. */
  public synchronized void reload() {
    for (Followed each : followed) {
      each.known = digest(each.files.files());
      each.candidate = each.known;
      reload(each);
    }
  }

  private void reload(Followed each) {
    try {
      String now = each.files.reload();
      reloadCount.incrementAndGet();
      LOG.info("tls: reloaded: {}", now);
    } catch (TlsFault fault) {
      failureCount.incrementAndGet();
      LOG.error("tls: not reloaded, the last good ones stay: {}", fault.getMessage());
    }
  }

  /** How often files were read again and taken. */
  public long reloadCount() {
    return reloadCount.get();
  }

  /** How often changed files could not be used. */
  public long failureCount() {
    return failureCount.get();
  }

  /** Stops watching. */
  @Override
  public void close() {
    closed = true;
    Thread watching;
    synchronized (this) {
      watching = thread;
    }
    LockSupport.unpark(watching);
  }
}

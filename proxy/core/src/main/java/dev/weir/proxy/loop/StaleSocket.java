package dev.weir.proxy.loop;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.SocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/** A Unix socket's file that a killed process has left behind. */
final class StaleSocket {
  /**
   * An empty lock file beside the socket. It stays, as removing it would break the lock of others.
   */
  private static final String LOCK_NAME = ".weir-lock";

  private StaleSocket() {}

  /**
   * Replaces the file if no process listens on it. One at a time, in this process and in others, so
   * that the file that was checked is the one that is replaced.
   *
   * @throws FileAlreadyExistsException if a process listens on it, or it is no socket; it stays.
   */
  static void replace(UnixDomainSocketAddress address, Path replacement) throws IOException {
    if (isStale(address)) {
      replaceLocked(address, replacement);
    } else {
      Files.createLink(address.getPath(), replacement);
    }
  }

  private static synchronized void replaceLocked(UnixDomainSocketAddress address, Path replacement)
      throws IOException {
    Path path = address.getPath();
    try (FileChannel file =
            FileChannel.open(
                path.resolveSibling(LOCK_NAME),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock lock = file.lock()) {
      if (lock.isValid() && isStale(address)) {
        Files.delete(path);
      }
      Files.createLink(path, replacement);
    }
  }

  private static boolean isStale(UnixDomainSocketAddress address) throws IOException {
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      BasicFileAttributes file =
          Files.readAttributes(
              address.getPath(), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return file.isOther() && refuses(probe, address);
    } catch (NoSuchFileException gone) {
      return false;
    }
  }

  private static boolean refuses(SocketChannel probe, UnixDomainSocketAddress address)
      throws IOException {
    try {
      probe.connect(address);
      return false;
    } catch (ConnectException refused) {
      return true;
    }
  }
}

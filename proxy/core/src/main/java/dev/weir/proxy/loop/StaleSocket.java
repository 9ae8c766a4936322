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

/** The file that a process which was killed leaves at its Unix-domain socket's path. */
final class StaleSocket {
  /**
   * An empty file beside the socket. It stays: who removed it would remove it from under others.
   */
  private static final String LOCK_NAME = ".weir-lock";

  private StaleSocket() {}

  /**
   * Puts a file in its place if nobody listens on it. One at a time, in this process and in others:
   * so what was looked at is what is removed.
   *
   * @throws FileAlreadyExistsException if somebody listens on it, or it is no socket; it stays.
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

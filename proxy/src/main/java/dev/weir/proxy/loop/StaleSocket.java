package dev.weir.proxy.loop;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;

/** The file that a process which was killed leaves at its Unix-domain socket's path. */
final class StaleSocket {
  private StaleSocket() {}

  /**
   * Removes the socket at that path if nobody listens on it; leaves anything else alone, and what
   * has taken the place of the file that was looked at.
   */
  static void remove(UnixDomainSocketAddress address) {
    Path path = address.getPath();
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      BasicFileAttributes file =
          Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (file.isOther() && refuses(probe, address) && isStill(file, path)) {
        Files.delete(path);
      }
    } catch (IOException unusable) {
      // Nothing is there, or it may not be looked at: binding says what is wrong, if anything is.
      return;
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

  private static boolean isStill(BasicFileAttributes file, Path path) throws IOException {
    return Objects.equals(file.fileKey(), ListeningSocket.fileKey(path));
  }
}

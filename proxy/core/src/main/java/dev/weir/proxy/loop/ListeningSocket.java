package dev.weir.proxy.loop;

import io.netty.channel.Channel;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A socket that is listened on, and for a Unix-domain socket its file: made by this process, and
 * removed by it only if it is still the one that it made. Of two processes that are given one path,
 * the later one either fails to start, or replaces a file that nobody listens on.
 *
 * <p>A Unix-domain socket is bound under a name that nobody else knows, and gets its own once it
 * listens. Bound to it at once it would refuse connections for a moment, as a socket that was left
 * behind does, and another process that starts would remove it. It would also be removed by name
 * when the channel closes, as epoll's does, whosever it is by then.
 *
 * <p>Closed once; a second close does nothing. Any thread but the channel's own.
 */
public final class ListeningSocket implements AutoCloseable {
  /** The longest path of a Unix-domain socket that every transport takes; NIO's is the shortest. */
  public static final int MAX_PATH_BYTES = 106;

  private final SocketAddress address;
  private final Channel channel;

  /** The file's device and inode. Null for no file, or one that cannot be told from others. */
  private final Object fileKey;

  private ListeningSocket(SocketAddress address, Channel channel, Object fileKey) {
    this.address = address;
    this.channel = channel;
    this.fileKey = fileKey;
  }

  /**
   * Listens.
   *
   * @param acceptor with a channel class of {@code transport} for {@code address}.
   * @throws IOException if that is not possible; its message says why, and nothing is left behind.
   */
  public static ListeningSocket bind(Acceptor acceptor, Transport transport, SocketAddress address)
      throws IOException {
    return address instanceof UnixDomainSocketAddress unix
        ? bindFile(acceptor, transport, unix)
        : new ListeningSocket(address, acceptor.bind(address), null);
  }

  private static ListeningSocket bindFile(
      Acceptor acceptor, Transport transport, UnixDomainSocketAddress address) throws IOException {
    Path path = address.getPath();
    Path unnamed = unnamed(path);
    Channel channel = acceptor.bind(transport.adapt(UnixDomainSocketAddress.of(unnamed)));
    try {
      Object key = fileKey(unnamed);
      link(unnamed, address);
      return new ListeningSocket(address, channel, key);
    } catch (FileAlreadyExistsException taken) {
      channel.close().awaitUninterruptibly();
      throw new IOException("Address already in use", taken);
    } catch (IOException failed) {
      channel.close().awaitUninterruptibly();
      throw failed;
    } finally {
      Files.deleteIfExists(unnamed);
    }
  }

  /**
   * A path beside {@code path}, by a name that nobody else knows, cut to the room that it leaves.
   */
  private static Path unnamed(Path path) {
    int room = MAX_PATH_BYTES - byteCount(path) + byteCount(path.getFileName());
    Path unnamed;
    do {
      String name = String.format(".weir-%08x", ThreadLocalRandom.current().nextInt());
      unnamed = path.resolveSibling(name.substring(Math.max(0, name.length() - room)));
    } while (unnamed.equals(path));
    return unnamed;
  }

  private static int byteCount(Path path) {
    return path.toString().getBytes(StandardCharsets.UTF_8).length;
  }

  private static void link(Path unnamed, UnixDomainSocketAddress address) throws IOException {
    try {
      Files.createLink(address.getPath(), unnamed);
    } catch (FileAlreadyExistsException taken) {
      StaleSocket.replace(address, unnamed);
    }
  }

  static Object fileKey(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .fileKey();
  }

  public Channel channel() {
    return channel;
  }

  /**
   * The address that the socket listens on; with the port that was found if any free one was asked
   * for.
   */
  public SocketAddress address() {
    return address instanceof UnixDomainSocketAddress ? address : channel.localAddress();
  }

  /** Accepts no more connections. */
  @Override
  public synchronized void close() {
    if (channel.isOpen()) {
      if (fileKey != null) {
        removeFile(((UnixDomainSocketAddress) address).getPath());
      }
      channel.close().awaitUninterruptibly();
    }
  }

  /**
   * While the socket is open, which keeps its inode from being given to another file, and keeps
   * other processes from removing the file as stale: so it is not replaced after it was looked at.
   */
  private void removeFile(Path path) {
    try {
      if (fileKey.equals(fileKey(path))) {
        Files.delete(path);
      }
    } catch (IOException gone) {
      // Or not ours to remove any more: whoever listens there next replaces it.
      return;
    }
  }
}

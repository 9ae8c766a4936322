package dev.weir.proxy.loop;

import io.netty.channel.Channel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;

/**
 * Tells a reset from an end of input. A reset ends the other side's output too, and epoll and
 * io_uring may report that first, as if nothing else had happened; NIO reports only the reset.
 */
public final class Resets {
  private Resets() {}

  /** Whether a connection whose other side has ended its output was reset. */
  public static boolean hasEnded(Channel channel) {
    return !channel.isOpen()
        || channel instanceof SocketChannel
            && channel instanceof UnixChannel unix
            && unix.fd() instanceof Socket socket
            && socket.remoteAddress() == null; // asks the system: there is no peer
  }
}

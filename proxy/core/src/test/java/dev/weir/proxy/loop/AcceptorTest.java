package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AcceptorTest {
  private final InetSocketAddress anyPort =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private EventLoopGroup group;

  @BeforeEach
  void start() {
    group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
  }

  @AfterEach
  void stop() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private Acceptor acceptor(Consumer<Channel> setUp) {
    return new Acceptor(
        group,
        NioServerSocketChannel.class,
        new ChannelSetUp() {
          @Override
          protected void setUp(Channel channel) {
            setUp.accept(channel);
          }
        });
  }

  private ListeningSocket listen(Acceptor acceptor) throws IOException {
    return ListeningSocket.bind(acceptor, Transport.NIO, anyPort);
  }

  private static Socket connect(ListeningSocket socket) throws IOException {
    InetSocketAddress address = (InetSocketAddress) socket.address();
    return new Socket(address.getAddress(), address.getPort());
  }

  @Test
  void setsEachConnectionUpOnItsEventLoopWithItsOptions() throws Exception {
    BlockingQueue<Object> seen = new LinkedBlockingQueue<>();
    Acceptor acceptor =
        acceptor(
            channel -> {
              seen.add(channel.eventLoop());
              seen.add(channel.eventLoop().inEventLoop());
              seen.add(channel.config().getOption(ChannelOption.TCP_NODELAY));
              channel
                  .pipeline()
                  .addLast(
                      new InboundHandler() {
                        @Override
                        public void channelActive(ChannelHandlerContext context) {
                          seen.add(context.pipeline().names().size());
                          context.close();
                        }
                      });
            });
    acceptor.option(ChannelOption.SO_BACKLOG, 7);
    acceptor.connectionOption(ChannelOption.TCP_NODELAY, true);
    try (ListeningSocket socket = listen(acceptor)) {
      assertEquals(7, socket.channel().config().getOption(ChannelOption.SO_BACKLOG));
      Object before = null;
      for (int i = 0; i < 2; i++) {
        try (Socket client = connect(socket)) {
          assertEquals(-1, client.getInputStream().read());
        }
        Object loop = seen.take();
        assertFalse(loop == before, "one loop after the other");
        before = loop;
        assertEquals(true, seen.take());
        assertEquals(true, seen.take());
        assertEquals(2, seen.take(), "the handler and Netty's tail");
      }
    }
  }

  @Test
  void closesAConnectionThatCannotBeSetUpAndAcceptsOthers() throws Exception {
    IllegalStateException failure = new IllegalStateException("as expected by a test");
    boolean[] fails = {true};
    Acceptor acceptor =
        acceptor(
            channel -> {
              if (fails[0]) {
                throw failure;
              }
              channel.writeAndFlush(channel.alloc().buffer(1).writeByte('x'));
            });
    try (ListeningSocket socket = listen(acceptor)) {
      try (Socket client = connect(socket)) {
        assertEquals(-1, client.getInputStream().read());
      }
      fails[0] = false;
      try (Socket client = connect(socket)) {
        assertEquals('x', client.getInputStream().read());
      }
    }
  }

  @Test
  void acceptsNothingForASecondAfterAcceptingHasFailed() {
    EmbeddedChannel channel = new EmbeddedChannel(acceptor(connection -> {}));
    channel.freezeTime();
    IOException failure = new IOException("no descriptor left");
    try (LogLines log = new LogLines()) {
      for (int i = 0; i < 3; i++) {
        channel.pipeline().fireExceptionCaught(failure);
      }
      channel.checkException(); // Netty would log each that nobody has taken
      assertEquals(
          List.of(
              "WARN accepting connections: embedded: no descriptor left; nothing is accepted for"
                  + " 1 s after each failure"),
          log.with("accepting connections"));
    }
    assertFalse(channel.config().isAutoRead());
    channel.advanceTimeBy(999, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertFalse(channel.config().isAutoRead());
    channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertTrue(channel.config().isAutoRead());
    channel.close();
  }

  /** On some systems one that its peer has reset takes none. */
  @Test
  void aConnectionThatTakesNoOptionIsClosedAndHoldsUpNoOther() {
    Acceptor acceptor = acceptor(connection -> {});
    acceptor.connectionOption(ChannelOption.SO_SNDBUF, 0); // as no system takes it
    EmbeddedChannel channel = new EmbeddedChannel(acceptor);
    Channel connection = new NioSocketChannel();
    channel.writeInbound(connection);
    assertFalse(connection.isOpen());
    assertTrue(channel.config().isAutoRead());
    channel.close();
  }

  /** With no descriptor left. */
  public static final class NoSocket extends NioServerSocketChannel {
    public NoSocket() {
      unsafe().closeForcibly();
      throw new ChannelException("no descriptor left");
    }
  }

  @Test
  void saysWhyThereIsNoSocketToListenOn() {
    Acceptor acceptor = new Acceptor(group, NoSocket.class, null);
    IOException why =
        assertThrows(
            IOException.class, () -> ListeningSocket.bind(acceptor, Transport.NIO, anyPort));
    assertEquals("no descriptor left", why.getMessage());
  }

  @Test
  void leavesNothingOpenWhereItCannotListen() throws Exception {
    try (ListeningSocket first = listen(acceptor(connection -> {}))) {
      Acceptor second = acceptor(connection -> {});
      assertThrows(
          IOException.class, () -> ListeningSocket.bind(second, Transport.NIO, first.address()));
    }
  }
}

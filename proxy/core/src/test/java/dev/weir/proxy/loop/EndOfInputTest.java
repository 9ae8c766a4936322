package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The other side of a connection sends its last bytes and ends, while the event loop is busy: the
 * loop is told of all that at once.
 */
@Timeout(60)
class EndOfInputTest {
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();
  private static final int ROUNDS = 4;
  private static final int LAST_BYTES = 9;
  private static final int ENDED = -1;

  /** How many bytes were read each time, and {@link #ENDED} last. */
  private final BlockingQueue<Integer> told = new LinkedBlockingQueue<>();

  private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
  private EventLoopGroup group;

  private final class Reader extends InboundHandler {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      told.add(bytes.readableBytes());
      bytes.release();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      told.add(ENDED);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }

  @AfterEach
  void end() {
    if (group != null) {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void isToldOfAConnectionThatWasMade(Transport transport) throws Exception {
    start(transport);
    try (ServerSocket service = new ServerSocket(0, 0, HOST)) {
      for (int i = 0; i < ROUNDS; i++) {
        Channel channel =
            new Bootstrap()
                .group(group)
                .channel(transport.clientChannel(service.getLocalSocketAddress()))
                .handler(new Reader())
                .connect(service.getLocalSocketAddress())
                .syncUninterruptibly()
                .channel();
        assertEndIsTold(channel, service.accept(), i % 2 == 0);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void isToldOfAConnectionThatWasAccepted(Transport transport) throws Exception {
    start(transport);
    InetSocketAddress anyPort = new InetSocketAddress(HOST, 0);
    Channel listener =
        new ServerBootstrap()
            .group(group)
            .channel(transport.serverChannel(anyPort))
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Reader());
                    accepted.add(channel);
                  }
                })
            .bind(anyPort)
            .syncUninterruptibly()
            .channel();
    int port = ((InetSocketAddress) listener.localAddress()).getPort();
    for (int i = 0; i < ROUNDS; i++) {
      Socket client = new Socket(HOST, port);
      assertEndIsTold(accepted.poll(30, TimeUnit.SECONDS), client, i % 2 == 0);
    }
  }

  private void start(Transport transport) {
    assumeTrue(transport.unavailability() == null, transport + " is not available");
    group = new MultiThreadIoEventLoopGroup(1, transport.handlerFactory());
  }

  private void assertEndIsTold(Channel channel, Socket peer, boolean reset) throws Exception {
    peer.getOutputStream().write(1);
    assertEquals(1, next(), "it is open, and has read before");
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch busy = new CountDownLatch(1);
    channel
        .eventLoop()
        .execute(
            () -> {
              busy.countDown();
              await(ended);
            });
    await(busy);
    end(peer, reset);
    ended.countDown();
    assertEquals(LAST_BYTES, next());
    assertEquals(ENDED, next());
  }

  private static void end(Socket peer, boolean reset) throws IOException {
    peer.getOutputStream().write(new byte[LAST_BYTES]);
    if (reset) {
      peer.setSoLinger(true, 0);
    }
    peer.close();
  }

  private int next() throws InterruptedException {
    Integer bytes = told.poll(10, TimeUnit.SECONDS);
    return bytes == null ? 0 : bytes;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}

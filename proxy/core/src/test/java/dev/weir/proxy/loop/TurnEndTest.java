package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Turns of real event loops, on each transport that this machine gives. */
@Timeout(60)
class TurnEndTest {
  private static final int MANY = 20;
  private static final int ENDS = 100;

  /** How much had been read when a turn ended. */
  private final BlockingQueue<Integer> readsAtEnds = new LinkedBlockingQueue<>();

  private final CountDownLatch accepted = new CountDownLatch(2);
  private EventLoopGroup group;
  private EventLoop loop;
  private TurnEnd turnEnd;
  private Channel listener;
  private int reads;
  private boolean joined;

  /** Given what comes, on the event loop. */
  private Runnable onRead = () -> {};

  private void start(Transport transport) {
    assumeTrue(transport.unavailability() == null, transport + " is not available");
    group = new MultiThreadIoEventLoopGroup(1, transport.handlerFactory());
    loop = (EventLoop) group.iterator().next();
    turnEnd = new TurnEnd(loop);
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    listener =
        new ServerBootstrap()
            .group(group)
            .channel(transport.serverChannel(address))
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Reader());
                    accepted.countDown();
                  }
                })
            .bind(address)
            .syncUninterruptibly()
            .channel();
  }

  private final class Reader extends InboundHandler {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
      reads++;
      if (!joined) {
        joined = true;
        turnEnd.join(
            () -> {
              joined = false;
              readsAtEnds.add(reads);
            });
      }
      onRead.run();
    }
  }

  private Socket connect() throws IOException {
    InetSocketAddress to = (InetSocketAddress) listener.localAddress();
    return new Socket(to.getAddress(), to.getPort());
  }

  private int readsAtEnd() throws InterruptedException {
    Integer count = readsAtEnds.poll(30, TimeUnit.SECONDS);
    return count == null ? -1 : count;
  }

  private static void send(Socket socket) {
    try {
      socket.getOutputStream().write(1);
    } catch (IOException broken) {
      throw new AssertionError(broken);
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
  void endsThoughThereIsAlwaysMoreToRead(Transport transport) throws Exception {
    start(transport);
    try (Socket client = connect()) {
      onRead =
          () -> {
            if (reads < MANY) {
              send(client);
            }
          };
      send(client);
      for (int i = 1; i <= MANY; i++) {
        assertEquals(i, readsAtEnd());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void endsOnceForAllThatHadCome(Transport transport) throws Exception {
    start(transport);
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch sent = new CountDownLatch(1);
    try (Socket first = connect();
        Socket second = connect()) {
      accepted.await();
      loop.submit(() -> {}).sync(); // both are registered
      loop.execute(
          () -> {
            held.countDown();
            try {
              sent.await();
            } catch (InterruptedException interrupted) {
              Thread.currentThread().interrupt();
            }
          });
      held.await(); // a loop that is still woken up may read the first alone
      send(first);
      send(second);
      sent.countDown();
      assertEquals(2, readsAtEnd());
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void whoJoinsWithinAnEndIsToldOfAnother(Transport transport) throws Exception {
    start(transport);
    CountDownLatch told = new CountDownLatch(ENDS);
    try (Socket client = connect()) {
      onRead =
          () ->
              turnEnd.join(
                  new TurnEnd.Member() {
                    @Override
                    public void turnEnded() {
                      told.countDown();
                      if (told.getCount() > 0) {
                        turnEnd.join(this);
                      }
                    }
                  });
      send(client);
      told.await();
    }
    assertEquals(0, told.getCount());
  }
}

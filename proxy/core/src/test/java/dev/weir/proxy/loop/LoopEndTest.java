package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.proxy.LogLines;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class LoopEndTest {
  @ParameterizedTest
  @EnumSource(Transport.class)
  void closesConnectionsOfALoopThatIsToldToEndInItsLastTask(Transport transport) throws Exception {
    assumeTrue(transport.unavailability() == null, transport + " is not available");
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.handlerFactory());
    try (LogLines log = new LogLines();
        ServerSocket service = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      Channel channel = connect(group, transport, service);
      Socket peer = service.accept();
      CountDownLatch busy = new CountDownLatch(1);
      CountDownLatch peerHasEnded = new CountDownLatch(1);
      channel
          .eventLoop()
          .execute(
              () -> {
                busy.countDown();
                while (peerHasEnded.getCount() > 0 || !channel.eventLoop().isShuttingDown()) {
                  Thread.onSpinWait();
                }
              });
      busy.await();
      peer.close();
      peerHasEnded.countDown();
      LoopEnd.await(group);
      assertFalse(channel.isOpen());
      assertEquals("", log.toString());
    }
  }

  /** As the connection of a server that does not answer. */
  @Test
  void endsALoopOfIoUringWhoseKernelNeverReportsAnOperation() throws Exception {
    assumeTrue(Transport.IO_URING.unavailability() == null, "io_uring is not available");
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, Transport.IO_URING.handlerFactory());
    IoEventLoop loop = (IoEventLoop) group.next();
    FileDescriptor[] pipe = FileDescriptor.pipe();
    IoRegistration registration = loop.register(new Unreported()).get();
    byte pollAdd = 6;
    IoUringIoOps poll =
        new IoUringIoOps(
            pollAdd,
            (byte) 0,
            (short) 0,
            pipe[0].intValue(),
            0,
            0,
            0,
            1,
            0L,
            (short) 0,
            (short) 0,
            0,
            0);
    loop.submit(() -> registration.submit(poll)).get();
    Thread end = new Thread(() -> LoopEnd.await(group));
    end.setDaemon(true);
    end.start();
    end.join(10_000);
    assertFalse(end.isAlive());
    pipe[0].close();
    pipe[1].close();
  }

  private static final class Unreported implements IoUringIoHandle {
    @Override
    public void handle(IoRegistration registration, IoEvent event) {}

    @Override
    public void registered() {}

    @Override
    public void unregistered() {}

    @Override
    public void close() {}
  }

  private static Channel connect(EventLoopGroup group, Transport transport, ServerSocket service) {
    return new Bootstrap()
        .group(group)
        .channel(transport.clientChannel(service.getLocalSocketAddress()))
        .handler(new InboundHandler() {})
        .connect(service.getLocalSocketAddress())
        .syncUninterruptibly()
        .channel();
  }
}

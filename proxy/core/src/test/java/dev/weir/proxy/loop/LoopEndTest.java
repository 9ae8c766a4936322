package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.proxy.LogLines;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
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

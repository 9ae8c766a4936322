package dev.weir.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.RefusalReason;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a connection to the service is made with. */
@Timeout(60)
class UpstreamConnectorTest {
  @ParameterizedTest
  @CsvSource({"H2C, " + UpstreamConnector.SILENT_HOST_MS, "HTTP1, 0"})
  void aConnectionThatManyShareEndsWhenItsHostIsSilent(UpstreamProtocol protocol, int silentHostMs)
      throws Exception {
    assumeTrue(Epoll.isAvailable(), "epoll is not available here");
    MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(1, Transport.EPOLL.handlerFactory());
    try (ServerSocket service = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      InetSocketAddress address =
          new InetSocketAddress(service.getInetAddress(), service.getLocalPort());
      Channel channel = connect(address, protocol, group).get();
      assertEquals(silentHostMs, channel.config().getOption(EpollChannelOption.TCP_USER_TIMEOUT));
      channel.close().sync();
    } finally {
      group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }
  }

  private static CompletableFuture<Channel> connect(
      InetSocketAddress address, UpstreamProtocol protocol, MultiThreadIoEventLoopGroup group)
      throws Exception {
    CompletableFuture<Channel> made = new CompletableFuture<>();
    try (UpstreamAddresses addresses = new UpstreamAddresses(address, Transport.EPOLL)) {
      LoopClock clock = new LoopClock();
      UpstreamConnector connector =
          new UpstreamConnector(
              new UpstreamLoop(
                  new UpstreamSettings(
                      address,
                      protocol,
                      null,
                      new UpstreamTimeouts(
                          TimeUnit.SECONDS.toNanos(1),
                          TimeUnit.SECONDS.toNanos(1),
                          TimeUnit.SECONDS.toNanos(1),
                          TimeUnit.SECONDS.toNanos(1)),
                      new UpstreamCaps(1, 1, 1, 1)),
                  addresses,
                  (EventLoop) group.iterator().next(),
                  clock,
                  new Deadlines(clock),
                  new Metrics().newLoop()),
              new UpstreamEndpoint(Transport.EPOLL, address, "service", null),
              channel -> new ChannelInboundHandlerAdapter());
      connector.connect(
          new UpstreamConnector.Attempt() {
            @Override
            public boolean isWanted() {
              return true;
            }

            @Override
            public void connected(Channel channel) {
              made.complete(channel);
            }

            @Override
            public void failed(RefusalReason reason) {
              made.completeExceptionally(new AssertionError(reason));
            }
          });
    }
    return made;
  }
}

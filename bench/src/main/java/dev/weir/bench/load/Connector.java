package dev.weir.bench.load;

import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.Target;
import dev.weir.proxy.loop.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;

/** Opens connections to a target on one event loop. */
final class Connector {
  static final int TIMEOUT_MS = 5_000;

  private final EventLoop eventLoop;
  private final Transport transport;
  private final Target target;
  private final Protocol protocol;
  private final InetSocketAddress address;

  Connector(
      EventLoop eventLoop,
      Transport transport,
      Target target,
      Protocol protocol,
      InetSocketAddress address) {
    this.eventLoop = eventLoop;
    this.transport = transport;
    this.target = target;
    this.protocol = protocol;
    this.address = address;
  }

  EventLoop eventLoop() {
    return eventLoop;
  }

  Target target() {
    return target;
  }

  /** Opens one; whether it came about is told to the sink. */
  void connect(LoadSink sink) {
    new Bootstrap()
        .group(eventLoop)
        .channel(transport.clientChannel(address))
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, TIMEOUT_MS)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(connection(sink));
              }
            })
        .connect(address)
        .addListener(
            connected -> {
              if (!connected.isSuccess()) {
                sink.refused(connected.cause());
              }
            });
  }

  private ChannelHandler connection(LoadSink sink) {
    return new Http1Connection(sink);
  }
}

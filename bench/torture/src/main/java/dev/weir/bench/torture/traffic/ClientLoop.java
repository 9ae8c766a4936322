package dev.weir.bench.torture.traffic;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;

/** The one event loop of all clients and services that speak HTTP/2. */
final class ClientLoop {
  private static final EventLoopGroup GROUP =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("torture-http2", true), NioIoHandler.newFactory());

  private ClientLoop() {}

  static EventLoopGroup group() {
    return GROUP;
  }
}

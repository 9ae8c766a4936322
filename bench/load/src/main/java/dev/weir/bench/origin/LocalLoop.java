package dev.weir.bench.origin;

import dev.weir.proxy.loop.LoopEnd;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/** An event loop of this process, with a thread of its own. */
public final class LocalLoop implements AutoCloseable {
  private static final int BACKLOG = 4096;

  private final Transport transport;
  private final MultiThreadIoEventLoopGroup group;

  /**
   * @param name of the thread.
   */
  public LocalLoop(String name, TransportKind kind) {
    transport = Transport.of(kind);
    group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory(name, true), transport.handlerFactory());
  }

  /** Listens on 127.0.0.1, at a free port for 0. */
  public static Channel listen(
      EventLoopGroup group, Transport transport, int port, Consumer<Channel> accepted) {
    final InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    return new ServerBootstrap()
        .group(group)
        .channel(transport.serverChannel(address))
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel client) {
                accepted.accept(client);
              }
            })
        .bind(address)
        .syncUninterruptibly()
        .channel();
  }

  public Transport transport() {
    return transport;
  }

  public EventLoop eventLoop() {
    return group.next();
  }

  /** A server of HTTP/1.1 on it, which gives each request the same answer. */
  public Http1Sink http1(byte[] answer) {
    return new Http1Sink(group, transport, answer);
  }

  /** A server of HTTP/2 on it, which gives each request the same answer. */
  public Http2Sink http2(Http2Answer answer) {
    return new Http2Sink(group, transport, Http2Sink.Behaviour.answering(answer));
  }

  @Override
  public void close() {
    LoopEnd.await(group);
  }
}

package dev.weir.bench.origin;

import dev.weir.proxy.loop.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A server of HTTP/2 without TLS, with prior knowledge, that costs a client's machine as little as
 * a server can. Listens at a free port of 127.0.0.1.
 */
public final class Http2Sink implements Sink {
  private static final int BACKLOG = 1024;

  private final Channel listener;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

  /** A server's behaviour: how it takes a request. Called on the connection's event loop. */
  public interface Behaviour {
    /** The whole request has come. */
    void requested(Http2Peer peer, int streamId);

    /** Answers every request alike, at once. */
    static Behaviour answering(Http2Answer answer) {
      return (peer, streamId) -> peer.answer(streamId, answer);
    }
  }

  /**
   * @param loops of that transport; remain the caller's.
   */
  public Http2Sink(EventLoopGroup loops, Transport transport, Behaviour behaviour) {
    final InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    listener =
        new ServerBootstrap()
            .group(loops)
            .channel(transport.serverChannel(address))
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    connections.add(channel);
                    channel.pipeline().addLast(new Http2Peer(behaviour));
                  }
                })
            .bind(address)
            .syncUninterruptibly()
            .channel();
  }

  @Override
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  public void close() {
    listener.close().syncUninterruptibly();
    connections.close().syncUninterruptibly();
  }
}

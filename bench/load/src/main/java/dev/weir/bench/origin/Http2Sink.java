package dev.weir.bench.origin;

import dev.weir.proxy.loop.Transport;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;

/**
 * A server of HTTP/2 without TLS, with prior knowledge, that costs a client's machine as little as
 * a server can. Listens at a free port of 127.0.0.1.
 */
public final class Http2Sink implements Sink {
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
    listener =
        LocalLoop.listen(
            loops,
            transport,
            0,
            channel -> {
              connections.add(channel);
              channel.pipeline().addLast(new Http2Peer(behaviour));
            });
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

package dev.weir.bench.load;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server of HTTP/1.1 that does to each request, without body, what a test wants. */
final class RawServer implements AutoCloseable {
  static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n";

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  /** Guarded by itself. */
  private final List<String> heads = new ArrayList<>();

  private final InetSocketAddress address;

  /** What becomes of a request. */
  interface Behaviour {
    /**
     * Answers, or not.
     *
     * @param number from 0, over all connections.
     */
    void on(ChannelHandlerContext peer, int number);
  }

  RawServer(Behaviour behaviour) {
    address =
        (InetSocketAddress)
            new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(
                    new ChannelInitializer<>() {
                      @Override
                      protected void initChannel(io.netty.channel.Channel client) {
                        client.pipeline().addLast(new Requests(behaviour));
                      }
                    })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly()
                .channel()
                .localAddress();
  }

  private final class Requests extends ChannelInboundHandlerAdapter {
    private final Behaviour behaviour;
    private final StringBuilder in = new StringBuilder();

    private Requests(Behaviour behaviour) {
      this.behaviour = behaviour;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      final ByteBuf bytes = (ByteBuf) message;
      in.append(bytes.toString(StandardCharsets.ISO_8859_1));
      bytes.release();
      for (int end = in.indexOf("\r\n\r\n"); end >= 0; end = in.indexOf("\r\n\r\n")) {
        final int number;
        synchronized (heads) {
          number = heads.size();
          heads.add(in.substring(0, end));
        }
        in.delete(0, end + 4);
        behaviour.on(ctx, number);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }

  static void send(ChannelHandlerContext peer, String text) {
    peer.writeAndFlush(
        peer.alloc().buffer().writeBytes(text.getBytes(StandardCharsets.ISO_8859_1)));
  }

  String url() {
    return "http://127.0.0.1:" + address.getPort() + "/";
  }

  /** Of all requests, in the order in which they came. */
  List<String> heads() {
    synchronized (heads) {
      return List.copyOf(heads);
    }
  }

  int requestCount() {
    synchronized (heads) {
      return heads.size();
    }
  }

  /** Ends the server of a connection without waiting for it, so that a behaviour may. */
  static void die(ChannelHandlerContext peer) {
    peer.channel().eventLoop().parent().shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

  /** Ends it at once, with all its connections. */
  @Override
  public void close() {
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }
}

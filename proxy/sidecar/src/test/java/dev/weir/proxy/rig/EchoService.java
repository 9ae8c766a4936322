package dev.weir.proxy.rig;

import dev.weir.proxy.loop.LoopEnd;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A service of HTTP/2 by Netty, with the standard's windows, which it gives back as it reads. It
 * answers content with the same content, in gRPC and else, and a request without content with
 * {@link #BODY}; of what comes for a path with {@code unread} in it nothing is read.
 */
public final class EchoService implements AutoCloseable {
  public static final String BODY = "ok";

  /** Whether Netty's own service leaks a buffer when it stops is not what a test is about. */
  private static final ByteBufAllocator UNWATCHED = new UnpooledByteBufAllocator(true, true);

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Channel listening;
  private final Queue<Channel> connections = new ConcurrentLinkedQueue<>();

  public EchoService() {
    listening =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.ALLOCATOR, UNWATCHED)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    connections.add(channel);
                    channel
                        .pipeline()
                        .addLast(Http2FrameCodecBuilder.forServer().build())
                        .addLast(new Http2MultiplexHandler(new Streams()));
                  }
                })
            .bind(new InetSocketAddress("127.0.0.1", 0))
            .syncUninterruptibly()
            .channel();
  }

  public String url() {
    return "h2c://127.0.0.1:" + ((InetSocketAddress) listening.localAddress()).getPort();
  }

  /** How many connections there were. */
  public int connections() {
    return connections.size();
  }

  private static final class Streams extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel stream) {
      stream.pipeline().addLast(new Echo());
    }
  }

  private static final class Echo extends ChannelInboundHandlerAdapter {
    private boolean isCall;

    @Override
    public void channelRead(ChannelHandlerContext stream, Object frame) {
      if (frame instanceof Http2HeadersFrame head) {
        begin(stream, head);
      } else if (frame instanceof Http2DataFrame data) {
        if (data.isEndStream()) {
          end(stream, data.content());
        } else {
          stream.write(new DefaultHttp2DataFrame(data.content()));
        }
        stream.flush();
      } else {
        ReferenceCountUtil.release(frame);
      }
    }

    private void begin(ChannelHandlerContext stream, Http2HeadersFrame head) {
      String path = head.headers().path().toString();
      CharSequence type = head.headers().get("content-type");
      isCall = type != null && type.toString().startsWith("application/grpc");
      if (path.contains("unread")) {
        stream.channel().config().setAutoRead(false);
        return;
      }
      Http2Headers answer = new DefaultHttp2Headers().status("200");
      if (isCall) {
        answer.set("content-type", type);
      } else if (head.isEndStream()) {
        answer.set("content-length", Integer.toString(BODY.length()));
      }
      stream.write(new DefaultHttp2HeadersFrame(answer));
      if (head.isEndStream()) {
        end(stream, Unpooled.copiedBuffer(BODY, StandardCharsets.US_ASCII));
      }
      stream.flush();
    }

    private void end(ChannelHandlerContext stream, ByteBuf content) {
      stream.write(new DefaultHttp2DataFrame(content, !isCall));
      if (isCall) {
        Http2Headers trailers = new DefaultHttp2Headers().set("grpc-status", "0");
        stream.write(new DefaultHttp2HeadersFrame(trailers, true));
      }
    }
  }

  @Override
  public void close() {
    listening.close().syncUninterruptibly();
    // An event loop that is told to stop while it runs its last task leaves its channels open.
    group
        .next()
        .submit(() -> connections.forEach(each -> each.unsafe().close(each.voidPromise())))
        .syncUninterruptibly();
    LoopEnd.await(group);
  }
}

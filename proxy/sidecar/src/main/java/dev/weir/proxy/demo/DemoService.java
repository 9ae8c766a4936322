package dev.weir.proxy.demo;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The service behind the demo's sidecar: answers everything, and counts. */
public final class DemoService implements AutoCloseable {
  private static final String GRPC = "application/grpc";
  private static final int MAX_REQUEST_BYTES = 1 << 16;

  private final AtomicLong requestCount = new AtomicLong();
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("weir-demo-service", true), NioIoHandler.newFactory());
  private final Channel server;

  /** Listens on a free port of 127.0.0.1. */
  DemoService() {
    Answer answer = new Answer();
    server =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel client) {
                    client
                        .pipeline()
                        .addLast(
                            new HttpServerCodec(),
                            new HttpObjectAggregator(MAX_REQUEST_BYTES),
                            answer);
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly()
            .channel();
  }

  @Sharable
  private final class Answer extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext client, FullHttpRequest request) {
      requestCount.incrementAndGet();
      if (GRPC.equals(request.headers().get(HttpHeaderNames.CONTENT_TYPE))) {
        client.writeAndFlush(greeting()).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        return;
      }
      ByteBuf body = Unpooled.copiedBuffer("the service\n", StandardCharsets.US_ASCII);
      FullHttpResponse response =
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body);
      response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/plain");
      response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
      client.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }
  }

  /** An empty message, and the status behind it: a call answered over HTTP/1.1. */
  private static FullHttpResponse greeting() {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.buffer().writeZero(5));
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, GRPC);
    HttpUtil.setTransferEncodingChunked(response, true);
    response.trailingHeaders().set("grpc-status", "0");
    return response;
  }

  InetSocketAddress address() {
    return (InetSocketAddress) server.localAddress();
  }

  long requestCount() {
    return requestCount.get();
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
